/** A list for a lecture: what may stand in it, what is refused with which sentence, and that writing and reading agree. */

import assert from "node:assert/strict";

import {
  here,
  isLoopback,
  lineOf,
  linkOf,
  packList,
  readList,
  unpackList,
  writeList,
} from "../../bjp_explorer/frontend/logic/playlist.js";

const { test } = Deno;
const ORIGIN = "https://explorer.example.org";
const TITLES = { start: "Start", step: "Step through the score", climb: "Watch the climb" };
const read = (text) => readList(text, ORIGIN, TITLES);
const lines = (text) => read(text).views.map(lineOf);

test("a line is an address of this app, here or on a computer of one's own", () => {
  const text = `# a comment
  /step?data=coronary&step=3
climb?data=titanic

${ORIGIN}/base/step?score=ib
http://127.0.0.1:8501/?data=coronary
http://localhost:8600/climb#part\r
/`;
  assert.deepEqual(read(text).told, []);
  assert.deepEqual(lines(text), [
    "/step?data=coronary&step=3",
    "/climb?data=titanic",
    "/step?score=ib",
    "/?data=coronary",
    "/climb",
    "/",
  ]);
});

test("nothing else is, and a sentence names the line", () => {
  const refused = {
    "javascript:alert(1)": "Line 2 is no address of a page: “javascript:alert(1)”.",
    "data:text/html,<script>": "Line 2 is no address of a page: “data:text/html,<script>”.",
    "https://evil.example/step": "Line 2 leads to evil.example, and a list holds pages of this app only.",
    "//evil.example/step": "Line 2 leads to evil.example, and a list holds pages of this app only.",
    "http://127.0.0.1.evil.example/step":
      "Line 2 leads to 127.0.0.1.evil.example, and a list holds pages of this app only.",
    "/admin?x=1": "Line 2 names no page of this app: “admin”.",
    "/constructor": "Line 2 names no page of this app: “constructor”.",
    "http://[": "Line 2 is no address of a page: “http://[”.",
  };
  for (const [line, sentence] of Object.entries(refused)) {
    const found = read(`/climb\n${line}`);
    assert.deepEqual(found.views.map(lineOf), ["/climb"]);
    assert.deepEqual(found.told, [sentence]);
  }
  assert.match(read(`/step?x=${"y".repeat(4000)}`).told[0], /^Line 1 has more than 4000 characters/);
});

test("a long list is cut, and many faults are few sentences", () => {
  const many = read("/step\n".repeat(31));
  assert.equal(many.views.length, 30);
  assert.deepEqual(many.told, ["A list holds at most 30 views; the others are left out."]);
  const faults = read("/admin\n".repeat(9)).told;
  assert.equal(faults.length, 4);
  assert.equal(faults[3], "6 more lines could not be used.");
});

test("what is written is read again, whatever the parameters hold", () => {
  const odd = [["data", "net:karate:1000:0~0.4"], ["x", "a*b**c&d=e?f#g%2A+ h\n\\"], ["é", "⊥ <b>"], [
    "edges",
    "0-1,2-5",
  ]];
  const views = [{ page: "step", query: odd }, { page: "start", query: [] }, {
    page: "climb",
    query: [["a", "*"]],
  }];
  assert.deepEqual(read(writeList(views, TITLES)), { views, told: [] });
  assert.deepEqual(unpackList(packList(views), ORIGIN, TITLES), { views, told: [] });
  const link = new URL(linkOf(views, `${ORIGIN}/base`));
  assert.equal(link.pathname, "/base/step");
  assert.deepEqual(unpackList(link.searchParams.get("list"), ORIGIN, TITLES), { views, told: [] });
  assert.deepEqual(here(link.href, TITLES), views[0], "the list is no part of a view");
});

test("a link has a bound, and a view nothing of its window", () => {
  const view = { page: "step", query: [["edges", "x".repeat(1000)]] };
  assert.ok(linkOf([view], ORIGIN).length < 8000);
  assert.equal(linkOf(Array(8).fill(view), ORIGIN), null);
  const url = `${ORIGIN}/climb?data=coronary&projector=1&embed=true&list=step`;
  assert.equal(lineOf(here(url, TITLES)), "/climb?data=coronary");
  assert.equal(lineOf(here(`${ORIGIN}/base/?data=a`, TITLES)), "/?data=a");
  assert.equal(lineOf(here(`${ORIGIN}/base`, TITLES)), "/");
});

test("which addresses only one computer can open", () => {
  for (const own of ["localhost", "127.0.0.1", "127.1.2.3", "[::1]"]) assert.ok(isLoopback(own));
  for (const other of ["192.168.0.7", "example.org", "127.0.0.1.example.org"]) assert.ok(!isLoopback(other));
});
