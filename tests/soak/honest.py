"""Honest requests: matches in the browser and between players on the network, spectators, previews, uploads."""

from __future__ import annotations

import asyncio
import contextlib
import json
import re
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from typing import Any

import aiohttp

from soak.ledger import Ledger
from soak.processes import Service
from soak.rules import THREE, variant
from soak.wire import FRIEND, exchange, post_message

#: A move in the log of a player, in a match of a host.
PLY = re.compile(r"^\S+  (?:tic_tac_toe|connect_four|three)\.\S+  ply \d+ ")

#: Seconds that a match may take.
MATCH = 240.0

#: Different rule files that are uploaded.
VARIANTS = 40

PAGES = ("/", "/new/fox_game", "/board.css", "/static/match.js", "/api/games", "/api/matches")
PREVIEWS = (
    "fox_game",
    "battle",
    "wolf_sheep",
    "classics/connect_four",
    "classics/othello",
    "variants/wolf_sheep_diagonal",
)
GAMES = ("classics/tic_tac_toe", "classics/connect_four", "knights_and_pawns", "fox_game")
PLAYERS = ("random", "mcts", "greedy", "legal", "auto")


@dataclass
class Honest:
    """Sends honest requests until it is cancelled."""

    ledger: Ledger
    serve: Service
    host: Service
    joins: dict[str, Service]
    folder: Path
    random: Random
    run: str
    session: aiohttp.ClientSession
    matches: list[str] = field(default_factory=list)
    read: dict[str, int] = field(default_factory=dict)

    def activities(self) -> list[Callable[[], Awaitable[None]]]:
        """Return what is done again and again, all at the same time."""
        return [
            self.program_match,
            self.human_match,
            self.spectate,
            self.spectate,
            self.look_around,
            self.upload,
            self.explain,
            self.watch,
            self.short_host,
            self.long_host,
            self.moves,
            self.probe,
        ]

    # The browser

    async def call(
        self, kind: str, path: str, body: object = None, *, prompt: bool = False, expected: tuple[str, ...] = ("200",)
    ) -> Any:
        """Send a request to `ggp serve` and return the JSON of the answer, or None if there is none."""
        method = "GET" if body is None else "POST"
        begun = time.monotonic()
        try:
            async with self.session.request(method, f"http://127.0.0.1:{self.serve.port}{path}", json=body) as response:
                text = await response.text()
                status = response.status
        except (aiohttp.ClientError, TimeoutError, OSError) as error:
            self.ledger.answered("serve", kind, type(error).__name__, (), str(error))
            return None
        if prompt:
            self.ledger.took("serve", time.monotonic() - begun)
        self.ledger.answered("serve", kind, str(status), expected, text)
        return json.loads(text) if status == 200 and text.startswith("{") else None

    async def begin(self, players: list[str], game: str) -> str | None:
        about = await self.call("preview", f"/api/games/{game}")
        if about is None:
            return None
        roles = about["game"]["roles"]
        named = {role: players[number % len(players)] for number, role in enumerate(roles)}
        wanted = {"game": game, "players": named, "start_clock": 4, "play_clock": 2, "max_plies": 20}
        if "human" in players:
            wanted |= {"start_clock": None, "play_clock": None}
        made = await self.call("new match", "/api/matches", wanted)
        if made is None:
            return None
        self.matches = [*self.matches[-5:], made["id"]]
        return str(made["id"])

    async def program_match(self) -> None:
        """Play a match between programs in the browser, and follow it on its event stream."""
        players = [self.random.choice(PLAYERS), self.random.choice(("random", "greedy", "legal"))]
        game = self.random.choice(GAMES)
        match = await self.begin(players, game)
        if match is None:
            self.ledger.match("serve", f"{game}: cannot begin")
            return
        state = await self.followed(match)
        await self.end_match(match, f"{game}, {' against '.join(players)}", state)

    async def followed(self, match: str, seconds: float = MATCH) -> dict[str, Any]:
        """Follow a match for some time, and return its last state."""
        state: dict[str, Any] = {}
        url = f"http://127.0.0.1:{self.serve.port}/api/matches/{match}/events"
        try:
            async with asyncio.timeout(seconds), self.session.get(url, timeout=aiohttp.ClientTimeout()) as response:
                self.ledger.answered("serve", "event stream", str(response.status), ("200",))
                async for line in response.content:
                    if line.startswith(b"data: "):
                        state = json.loads(line[6:])
                    if state.get("result") != "running" or state.get("error"):
                        break
        except TimeoutError:
            pass
        except aiohttp.ClientError as error:
            self.ledger.answered("serve", "event stream", type(error).__name__, (), str(error))
        return state

    async def end_match(self, match: str, title: str, state: dict[str, Any]) -> None:
        record = await self.call("record", f"/api/matches/{match}/record")
        errors = [error for row in (record or {}).get("errors", []) for error in row if error]
        result = state.get("result")
        faults = [*errors, *([] if result in ("finished", "unfinished") else [f"result {result}"])]
        faults += [state["error"]] if state.get("error") else []
        self.ledger.match("serve", f"{title} ({match}): {'; '.join(faults)}" if faults else "")
        await self.call("moves", f"/api/matches/{match}/moves")
        await self.call("thoughts", f"/api/matches/{match}/thoughts")
        if record is not None and self.random.random() < 0.3:
            await self.call("send record", "/api/records", record)

    async def human_match(self) -> None:
        """Play some moves of a match as a person would; take one back; end it."""
        match = await self.begin(["human", self.random.choice(("random", "legal"))], "classics/tic_tac_toe")
        path = f"/api/matches/{match}"
        for _ in range(3 if match else 0):
            about = await self.call("match", path)
            until = time.monotonic() + 30
            while about and not about["state"]["waiting"] and time.monotonic() < until:
                await asyncio.sleep(0.3)
                about = await self.call("match", path)
            if not about or not about["state"]["waiting"]:
                self.ledger.match("serve", f"{match}: no turn for the person")
                return
            role, ply = about["state"]["waiting"][0], about["state"]["plies"]
            position = await self.call("position", f"{path}/plies/{ply}")
            choices = (position or {}).get("choices", {}).get(role, [])
            if not choices:
                break
            move = self.random.choice(choices)["move"]
            await self.call("move", f"{path}/move", {"role": role, "ply": ply + 1, "move": move})
            await asyncio.sleep(0.5)
        if match:
            await self.call("take back", f"{path}/back", {"ply": 0}, expected=("200", "400"))  # 400: it is over
            await self.call("end", f"{path}/end", {})
            self.ledger.match("serve", "")
        await asyncio.sleep(2)

    async def spectate(self) -> None:
        """Watch a match for a while, in the browser or at the host."""
        if self.matches and self.random.random() < 0.6:
            await self.followed(self.random.choice(self.matches), self.random.uniform(0.2, 8))
        else:
            listed = await self.at_host("/matches")
            if listed:
                await self.at_host(f"/matches/{listed[0]['matchId']}/events", self.random.uniform(0.2, 8))
        await asyncio.sleep(self.random.uniform(0.2, 1))

    async def at_host(self, path: str, seconds: float = 20) -> Any:
        """Send a request to the host's server for spectators."""
        try:
            async with (
                asyncio.timeout(seconds),
                self.session.get(
                    f"http://127.0.0.1:{self.host.port}{path}", timeout=aiohttp.ClientTimeout()
                ) as response,
            ):
                self.ledger.answered("host", "spectator", str(response.status), ("200",))
                text = await response.text()
                return json.loads(text) if text.startswith(("{", "[")) else None
        except TimeoutError:
            if not path.endswith("events"):
                self.ledger.answered("host", "spectator", "silent", ())
        except (aiohttp.ClientError, OSError) as error:
            self.ledger.answered("host", "spectator", type(error).__name__, (), str(error))
        return None

    async def look_around(self) -> None:
        """Load a page, the list of games, a preview or a drawing."""
        if self.random.random() < 0.5:
            await self.call("page", self.random.choice(PAGES))
        else:
            drawing = "/board.svg" if self.random.random() < 0.4 else ""
            await self.call("preview", f"/api/games/{self.random.choice(PREVIEWS)}{drawing}")
        await asyncio.sleep(0.5)

    async def upload(self) -> None:
        """Upload rules, and look at their preview."""
        number = self.random.randrange(VARIANTS)
        sent = await self.call("send rules", "/api/games", {"name": f"three-{number}", "text": variant(number)})
        if sent:
            await self.call("preview", f"/api/games/{sent['name']}")
        await asyncio.sleep(4)

    async def explain(self) -> None:
        """Ask why something holds in a match."""
        if self.matches:
            path = f"/api/matches/{self.random.choice(self.matches)}"
            about = await self.call("match", path)
            if about:
                atom = self.random.choice(("terminal", "(role xplayer)", "(legal xplayer noop)"))
                ply = self.random.randint(0, about["state"]["plies"])
                # The move may have been taken back since.
                await self.call("explain", f"{path}/explain", {"ply": ply, "atom": atom}, expected=("200", "400"))
        await asyncio.sleep(3)

    async def watch(self) -> None:
        """Let the browser's server follow a match at the host."""
        await asyncio.sleep(20)
        listed = await self.at_host("/matches")
        if listed:
            url = f"http://127.0.0.1:{self.host.port}/matches/{listed[0]['matchId']}"
            await self.call("watch", "/api/watch", {"url": url})

    # Players on the network

    async def short_host(self) -> None:
        """Run `ggp host` for one match between players on the network."""
        game = self.random.choice(("tic_tac_toe", "connect_four", "three"))
        if game == "three":
            file = self.folder / "three.kif"
            file.write_text(THREE)
            roles, players, game = ("red", "green", "blue"), ("random", "auto", "mcts"), str(file)
        else:
            roles = ("xplayer", "oplayer") if game == "tic_tac_toe" else ("red", "yellow")
            players = ("random", "auto")
        lineup = [f"--player={role}={self.joins[name].address}" for role, name in zip(roles, players, strict=True)]
        command = ("host", game, *lineup, "--start-clock=6", "--play-clock=2", "--max-plies=30", "--json")
        log = self.folder / "host-once.log"
        begun = log.stat().st_size if log.exists() else 0
        service = Service("host-once", command, self.folder, self.run)
        service.start()
        until = time.monotonic() + MATCH
        try:
            while service.running and time.monotonic() < until:
                await asyncio.sleep(0.2)
        finally:
            service.terminate()
            await asyncio.shield(asyncio.to_thread(service.reap))
        found = [line for line in log.read_text()[begun:].splitlines() if line.startswith("{")]
        if found:
            self.reported("host-once", found[-1])
        else:
            self.ledger.match("host-once", f"{game}: no result; {log.read_text()[begun:][:200]!r}")
        await asyncio.sleep(0.5)

    async def long_host(self) -> None:
        """Read the results of the host that plays match after match."""
        read = 0
        while True:
            await asyncio.sleep(1)
            lines = self.host.text()[read:]
            whole = lines[: lines.rfind("\n") + 1]
            read += len(whole)
            for line in whole.splitlines():
                if line.startswith("{"):
                    self.reported("host", line)
            if not self.host.running:
                self.ledger.miss("services that ended", f"host: {self.host.text()[-300:]}")
                await asyncio.sleep(1e6)

    def reported(self, service: str, line: str) -> None:
        """Count a match from the line of JSON that a host printed."""
        with contextlib.suppress(ValueError):
            match = json.loads(line)
            if "players" not in match:
                return
            faults = [
                f"{player['player']}: {player[fault]} {fault}"
                for player in match["players"]
                for fault in ("late", "illegal", "crashes")
                if player[fault]
            ]
            if match["result"] not in ("finished", "unfinished"):
                faults.append(f"result {match['result']}")
            self.ledger.match(service, f"{match['game']} ({match['match_id']}): {'; '.join(faults)}" if faults else "")

    async def moves(self) -> None:
        """Count the moves of honest matches in the logs of players, and those that had to be made at random."""
        await asyncio.sleep(1)
        for name, service in self.joins.items():
            lines = service.text()[self.read.get(name, 0) :]
            whole = lines[: lines.rfind("\n") + 1]
            self.read[name] = self.read.get(name, 0) + len(whole)
            for line in whole.splitlines():
                if PLY.search(line):
                    self.ledger.move(f"join-{name}", at_random="at random" in line)

    async def probe(self) -> None:
        """Ask every service something simple, and measure how long it takes."""
        for name, service in self.joins.items():
            begun = time.monotonic()
            message = post_message("(INFO)", service.port, path=service.path)
            status, text = await exchange(service.port, message, source=FRIEND)
            self.ledger.took(f"join-{name}", time.monotonic() - begun)
            self.ledger.answered(f"join-{name}", "INFO", status, ("200",), text)
        await self.call("list of games", "/api/games", prompt=True)
        begun = time.monotonic()
        await self.at_host("/matches")
        self.ledger.took("host", time.monotonic() - begun)
        await asyncio.sleep(2)
