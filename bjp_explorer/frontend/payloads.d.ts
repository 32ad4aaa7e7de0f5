/**
 * What Python sends the components: the one declaration, which a test holds real payloads against.
 * Variables are indices into `names`, a pair is `[i, j]` with i < j, and positions are in [0, 1]², x to the right, y
 * down.
 */

/** Names and positions of the nodes; dragged nodes stay while `layout_id` stays. */
export type Layout = { layout_id: string; names: string[]; x: number[]; y: number[] };

/** The terms of a score as columns; a local score has no `y`, and is always computed.

`skipped` is what the test that BJP skips gives an inferred assertion, a log probability. Where
a pair is tested given only some neighbours of x, these are the z with the `way` of y. */
export interface Terms {
  x: number[];
  y?: number[];
  dependent?: number[];
  computed?: number[];
  value: number[];
  skipped?: (number | null)[];
  way?: number[];
}

/** A term that changed with the graph; `before` and `after` are null where it is inferred. */
export interface ChangedTerm {
  x: number;
  y: number | null;
  dependent: boolean;
  what: string;
  before: number | null;
  after: number | null;
  difference: number;
}

/** What the last edit of the graph did to the score. */
export interface Change {
  id: string;
  kind: "assertions" | "local";
  headline: string;
  about: string;
  rows: ChangedTerm[];
  rest: string;
}

/** A score, one term after another; `terms` may be its JSON as text, `plain` is what a newcomer reads first. */
export interface StepPayload extends Layout {
  id: string;
  kind: "assertions" | "local";
  method: string;
  score_name: string;
  order: number[];
  degree: number[];
  edges: [number, number][];
  editable: boolean;
  initial_step: number;
  terms: Terms | string;
  stem?: string;
  change?: Change | null;
  plain?: { graph: string; statement: string; restored: boolean };
  predict?: boolean;
}

/** The graph that a search begins with. */
export type Start = { edges: [number, number][]; order: number[]; degree: number[]; score: number };

/** One proposal; in a long walk the last of several flips, with the others' pairs. */
export interface Flip {
  edge: [number, number];
  added: boolean;
  accepted: boolean;
  phase: string;
  gain: number;
  score: number;
  tried: number;
  tests: number;
  lowest?: [number, number, boolean, number][];
  order?: number[];
  at?: number;
  others?: [number, number][];
}

/** How the line of a climb is drawn: marker and dash as plotly names them, and whose hue. */
export type LineLook = { symbol: string; dash: string; score: string };

/** What two views that play climbs are sent. */
interface Played extends Layout {
  id: string;
  running: boolean;
  truth: [number, number][] | null;
  initial_step: number | null;
  report?: boolean;
  predict?: boolean;
  stem?: string;
  asked?: number | null;
}

/** A search, one flip after another; while `series` stays, steps are only added at the end. */
export interface ClimbPayload extends Played {
  method: string;
  score_name: string;
  short_name: string;
  queue: string;
  look: LineLook;
  series: string;
  start: Start;
  steps: Flip[];
  made: number;
  best: number | null;
  walks: boolean;
  rejected: Flip | null;
  stop: string;
  title?: string;
}

/** Two climbs on the same data with one player. */
export interface DuelPayload extends Played {
  by: "flips" | "tests";
  climbs: ClimbPayload[];
}

/** Both ends, the tone, the weight, what is known of it, and its width where that is another number. */
export type Edge = [number, number, string?, number?, string?, number?];

/** One network of several. */
export interface NetworkPanel {
  key: string;
  title: string;
  subtitle: string;
  edges: Edge[];
  badge: string;
  roles: [number, string][];
}

/** Several networks on one layout. */
export interface NetworksPayload extends Layout {
  id: string;
  panels: NetworkPanel[];
  tones: { tone: string; label: string }[];
  columns: number;
  clickable: boolean;
  edge_clicks?: boolean;
  stem?: string;
  tall?: boolean;
}

/** A fitted network as the table of its joint probabilities, which the browser sums.

The state of the last variable changes fastest. `evidence` is `[variable, state]` of what is
known at first. */
export interface WhatIfPayload extends Layout {
  edges: [number, number][];
  states: string[][];
  joint: number[];
  evidence: [number, number][];
  note: string;
  stem?: string;
}

/** The line of a pair. */
export interface Link {
  i: number;
  j: number;
  tone: string;
  dependent?: boolean;
  question?: boolean;
  straight: boolean;
}

/** One network of a scene. */
export interface SceneNetwork extends Layout {
  title: string;
  kind: string;
  link: Link | null;
  badges: string[] | null;
  edges: Edge[];
  roles: [number, string][];
  rank: number[] | null;
  degree: number[];
}

/** The assertions of a scene; `reached` is null where all are filled in. */
export interface SceneMatrix {
  names: string[];
  order: number[];
  degree: number[];
  terms: Terms;
  reached: number | null;
  by_column: boolean;
  describe: string[];
  pair?: [number, number] | null;
}

/** A contingency table with the counts expected under independence, and lines below it. */
export interface CountsCard {
  title: string;
  counts: {
    x: string;
    y: string;
    rows: string[];
    columns: string[];
    cells: number[][];
    expected: number[][];
  };
  lines: string[];
}

/** A table of texts. */
export type SceneTable = { head: string[]; rows: string[][]; current?: number | null };

/** A key number. */
export type Figure = { value: string; caption: string };

/** Samples of a star and the engine's numbers for them, see `lessons/hub.py`. */
export interface StarsPayload {
  rows: number[];
  leaves: number;
  strengths: number;
  seeds: number[];
  packed: string;
}

/** What a lesson's view shows for what was clicked; `hub` is how much of that figure. A bar's `most` is its room. */
export interface Scene {
  hub?: number;
  bars?: { label: string; value: number; error: number; most: number }[];
  say?: string[];
  networks?: SceneNetwork[];
  matrix?: SceneMatrix;
  cards?: CountsCard[];
  table?: SceneTable;
  figures?: Figure[];
}

/** A lesson in the bar of progress. */
export interface CourseLesson {
  title: string;
  short: string;
  steps: number;
  state: "new" | "begun" | "shown" | "solved";
}

type AnswerState = "open" | "tried" | "shown" | "solved";

/** What was said to an answer. */
export type VerdictPayload = { correct: boolean; sentence: string; culprit: any };

/** What is asked: how it is answered, and what is shown once the answer is known. */
type Asked = { ask: string; kind: string; revealed: Scene | null };

/** A question; its solution only once it is known. With a `note`, it can't be checked here. */
export interface QuestionPayload extends Asked {
  picks: any[];
  state: AnswerState;
  verdict: VerdictPayload | null;
  note?: string;
}

/** The page after the last lesson: questions still open, and ways to other pages. */
export interface ClosingPayload {
  open: { lesson: number; title: string }[];
  doors: { page: string; title: string; text: string }[];
}

/** What a step of a lesson shows, and what it answers to; sliders that just go through have empty values. */
interface Shown {
  title: string;
  text: string[];
  touch: { kind: string; hint: string; sliders: { label: string; values: string[]; start: number }[] };
  scenes: Record<string, Scene>;
}

/** One step of a lesson, or the closing page; with `alone`, there are no other lessons. */
export interface LessonPayload extends Shown {
  id: string;
  lesson: number;
  step: number;
  restored: boolean;
  course: CourseLesson[];
  steps: { title: string; asks: boolean; state: AnswerState }[];
  question: QuestionPayload | null;
  stars: StarsPayload | null;
  closing: ClosingPayload | null;
  alone?: boolean;
}

/** A verdict by its position, or the one on the answer that ends here and what follows by candidates. */
export type VerdictBranch = number | [number, Record<string, VerdictBranch>];

/** A question in a file, with its answer and the verdict on every answer, see `lessons/course.py`. */
export interface SharedQuestion extends Asked {
  answer: any[];
  tree: { candidates: any[]; verdicts: VerdictPayload[]; root: VerdictBranch };
}

/** A lesson in a file, or with `lesson` 0 the index; of each lesson the steps that ask.

`files` are the addresses of the index and of each lesson, or null for one lesson alone. */
export interface CoursePayload {
  lesson: number;
  course: (Omit<CourseLesson, "state"> & { asks: number[] })[];
  steps: (Shown & { question: SharedQuestion | null })[];
  stars: StarsPayload | null;
  files: string[] | null;
}

/** A graph to be drawn; positions are in the unit square, edges are pairs of names. */
export interface GraphPicturePayload {
  title: string;
  names: string[];
  positions: [number, number][];
  edges: [string, string][];
  marked: string[];
}

/** A table to be drawn. */
export interface GridPicturePayload {
  title: string;
  columns: string[];
  rows: string[];
  cells: string[][];
}

/** An exercise as `Exercise.to_json` writes it: every answer that is right is listed. */
export interface ExercisePayload {
  kind: string;
  level: number;
  seed: number;
  ask: string;
  graphs: GraphPicturePayload[];
  grids: GridPicturePayload[];
  notes: string[];
  form: "nodes" | "order" | "pair" | "several" | "one" | "number";
  options: string[];
  answer: string[] | number;
  accepted: (string[] | number)[];
  tolerance: number;
  mistakes: { answer: string[] | number; reason: string }[];
  solution: string[];
}

/** A run of exercises; with `more` others can be asked for at its end. */
export interface PracticePayload {
  id: string;
  kinds: Record<string, string>;
  exercises: ExercisePayload[];
  more: boolean;
}

/** The parameters of the page's address, or the button that copies it. */
export interface LinkPayload {
  query?: Record<string, string>;
  page?: string;
  others?: boolean;
  button?: boolean;
}

/** The line above a page in the projector view. */
export type ProjectorPayload = { title: string };
