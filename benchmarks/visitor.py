"""A visit without a browser: what a tab says to the server over its websocket, and hears.

It speaks Streamlit's own messages. What a browser draws is only counted here.
"""

from __future__ import annotations

import asyncio
import json
import time
from typing import Any
from urllib.parse import urlencode

from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.BidiComponent_pb2 import BidiComponent
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from websockets.asyncio.client import ClientConnection, connect

# Seconds until an answer counts as none.
PATIENCE = 120.0
# For how many runs a browser keeps a message that is not shown again.
KEPT = 2
# What the last message of a run says where all went well: the whole script, or a fragment.
_WELL = {
    ForwardMsg.FINISHED_SUCCESSFULLY,
    ForwardMsg.FINISHED_EARLY_FOR_RERUN,
    ForwardMsg.FINISHED_FRAGMENT_RUN_SUCCESSFULLY,
}


class Troubled(Exception):  # noqa: N818 - what a visitor tells, who goes on
    """The app answered with an error, or not at all."""


class Visitor:
    """One tab.

    Attributes
    ----------
    component : str
        The id of the last component that was sent.
    payload : dict
        What it shows.
    told : int
        Elements of the page that the last run sent.
    bars : list of str
        Texts of progress bars that the last run sent.
    """

    def __init__(self, port: int) -> None:
        """Not connected yet."""
        self._url = f"ws://127.0.0.1:{port}/_stcore/stream"
        self._socket: ClientConnection | None = None
        self._query, self._page, self._script = "", "", ""
        self._values: dict[str, str] = {}
        # Messages that need not be sent again, by their hashes: the run that had each last, and
        # what it shows. A browser forgets them after two runs.
        self._known: dict[str, tuple[int, dict[str, Any] | None]] = {}
        self._runs = 0
        self.component, self.fragment, self.payload = "", "", dict[str, Any]()
        self.intervals: dict[str, float] = {}
        self.told, self.bars = 0, list[str]()

    async def open(self, page: str, **query: str) -> None:
        """Connect and load a page.

        Parameters
        ----------
        page : str
        **query
            Of its URL.
        """
        self._page, self._query = page, urlencode(query)
        self._socket = await connect(
            self._url, subprotocols=["streamlit"], max_size=None, ping_interval=None
        )
        await self.run()

    async def close(self) -> None:
        """Close the tab."""
        if self._socket is not None:
            await self._socket.close()

    async def settle(self, step: int) -> float:
        """Report the step where the player came to rest.

        Parameters
        ----------
        step : int

        Returns
        -------
        float
            Seconds until the page has answered.
        """
        settled = {"id": self.payload["id"], "step": step, "x": None, "y": None}
        self._values[self.component] = json.dumps({"settled": settled})
        return await self.run(self.fragment)

    async def look(self) -> None:
        """Wait as a browser does, then run each part that the page runs at intervals."""
        await asyncio.sleep(min(self.intervals.values()))
        for fragment in list(self.intervals):
            await self.run(fragment)

    async def run(self, fragment: str = "") -> float:
        """Have the page run, or a part of it.

        Parameters
        ----------
        fragment : str

        Returns
        -------
        float
            Seconds until it has.
        """
        message = BackMsg()
        asked = message.rerun_script
        asked.query_string, asked.page_script_hash = self._query, self._script
        asked.page_name = "" if self._script else self._page
        asked.fragment_id = fragment
        self._runs += 1
        self._known = {
            k: (run, v) for k, (run, v) in self._known.items() if self._runs - run <= KEPT
        }
        asked.cached_message_hashes.extend(self._known)
        for name, value in self._values.items():
            asked.widget_states.widgets.add(id=name, json_value=value)
        began = time.perf_counter()
        assert self._socket is not None
        await self._socket.send(message.SerializeToString())
        await asyncio.wait_for(self._hear(), PATIENCE)
        return time.perf_counter() - began

    async def _hear(self) -> None:
        """Take what the server sends until the run has ended."""
        self.told, self.bars = 0, []
        assert self._socket is not None
        while True:
            message = ForwardMsg.FromString(await self._socket.recv())
            if message.metadata.cacheable and message.hash:
                self._known[message.hash] = (self._runs, None)
            if message.WhichOneof("type") != "script_finished":
                self._note(message)
            elif message.script_finished not in _WELL:
                raise Troubled(f"The script ended with {message.script_finished}.")
            elif message.script_finished != ForwardMsg.FINISHED_EARLY_FOR_RERUN:
                return

    def _note(self, message: ForwardMsg) -> None:
        """Take one message of a run."""
        kind = message.WhichOneof("type")
        if kind == "new_session":
            if not message.metadata.run.fragment_ids:
                self.intervals.clear()
        elif kind == "navigation":
            # Which of the pages it is; the session's own message names the first one.
            self._script = message.navigation.page_script_hash
        elif kind == "auto_rerun":
            self.intervals[message.auto_rerun.fragment_id] = message.auto_rerun.interval
        elif kind == "stop_auto_rerun":
            for name in message.stop_auto_rerun.fragment_ids:
                self.intervals.pop(name, None)
        elif kind == "ref_hash":
            # The browser has it already.
            self.told += 1
            known = self._known.get(message.ref_hash, (0, None))[1]
            self._known[message.ref_hash] = (self._runs, known)
            self.payload = known or self.payload
        elif kind == "delta":
            self.told += 1
            self._look(message)

    def _look(self, message: ForwardMsg) -> None:
        """Note what an element says."""
        element = message.delta.new_element
        kind = element.WhichOneof("type")
        if kind == "exception":
            raise Troubled(element.exception.message)
        if kind == "alert" and element.alert.format == element.alert.ERROR:
            raise Troubled(element.alert.body)
        if kind == "progress":
            self.bars.append(element.progress.text)
        if kind == "bidi_component":
            self._mount(element.bidi_component, message.delta.fragment_id, message.hash)

    def _mount(self, component: BidiComponent, fragment: str, known_as: str) -> None:
        """Keep the component that can be played."""
        payload = json.loads(component.json or component.mixed.json or "{}")
        if payload.get("view") in ("step", "climb"):
            self.component, self.fragment = component.id, fragment
            self.payload = payload
            if known_as in self._known:
                kept = ("id", "initial_step")
                shown = {name: self.payload.get(name) for name in kept}
                self._known[known_as] = (self._runs, shown)
