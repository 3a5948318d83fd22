"""One HTML file that plays a game: the page of a match of `ggp serve`, with its scripts and the game inside.

The modules of the page are those in `ggp/server/static`. A browser loads no modules for a file that was opened from a
disk, so all of them become functions of one script. Two are replaced: the one that asks the server, and the one that
listens to it (`static/offline`).
"""

from __future__ import annotations

import base64
import gzip
import hashlib
import json
import posixpath
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from html import escape
from pathlib import Path
from typing import Any, Final, final

from gdl.codegen.portable.wasm import Module
from gdl.engine import is_nature
from gdl.simulator.simulator import Simulator
from ggp.board.drawing.palette import chips, style
from ggp.board.wishes import wishes_beside
from ggp.players.finishing import PLAYOUTS
from ggp.players.levels import HIGHEST, LEVELS, LIMITED
from ggp.players.player import UNKNOWN
from ggp.rules.titles import title_of
from ggp.server.export.boards import drawing_data
from ggp.server.game.table import Table

_STATIC: Final = Path(__file__).parent.parent / "static"

#: The level of the programs, unless another one is wanted: a game for people who do not know it yet.
LEVEL: Final = 3

#: The module with which the script begins, and what replaces modules that need a server.
_FIRST: Final = "offline/page.js", "offline/worker.js"
_REPLACED: Final = {"api.js": "offline/api.js", "stream.js": "offline/stream.js"}

_IMPORT: Final = re.compile(r'^import (?:\{([^}]*)\} from )?"([^"]+)";$', re.MULTILINE)
_LATE_IMPORT: Final = re.compile(r'await import\("([^"]+)"\)')
_EXPORT: Final = re.compile(r"^export ((?:async )?function|class|const) (\w+)", re.MULTILINE)
_COMMENT: Final = re.compile(r"^[ ]*(?://[^\n]*|/\*\*(?:(?!\*/).)*\*/)\n", re.MULTILINE | re.DOTALL)

#: Playouts are cut off after this multiple of their mean length, as in `ggp.players.mcts.world`, which loads Numba.
_LONG: Final = 1.5

_INCOMPLETE: Final = "This file is not whole, or this browser runs no scripts in it."

#: What a page with a server has, and this one does not.
_HIDDEN: Final = "#invite, #analyse, #belief-card { display: none !important; }"
_SETUP: Final = """
#incomplete { visibility: hidden; animation: appear 0s 3s forwards; }
@keyframes appear { to { visibility: visible; } }
.setup { display: flex; flex-direction: column; gap: .5rem; margin: .6rem 0; }
.setup-role { display: flex; align-items: center; gap: .5rem; }
.setup-role select { margin-left: auto; }
.curtain { width: 100%; height: 100%; max-width: none; max-height: none; border: 0; color: var(--ink); }
.curtain, .curtain::backdrop { background: var(--paper); }
.curtain[open] { display: flex; flex-direction: column; gap: 1rem; align-items: center; justify-content: center; }
.curtain button { width: auto; }
"""


@final
@dataclass(frozen=True, slots=True)
class Page:
    """A page, and the bytes of its parts as they are in it."""

    text: str
    parts: Mapping[str, int]


def levels() -> dict[str, dict[str, float | None]]:
    """Return the levels of strength of the page, which are those of the player `auto`, by their names."""
    found: dict[str, dict[str, float | None]] = {
        f"level {number}": {"simulations": level.simulations, "temperature": level.temperature}
        for number, level in enumerate(LEVELS, 1)
    }
    found[f"level {HIGHEST - 1}"] = {"simulations": LIMITED, "temperature": 0}
    found[f"level {HIGHEST}"] = {"simulations": None, "temperature": 0}
    return found


def page(
    path: Path, simulator: Simulator, module: Module, title: str = "", players: Mapping[str, str] | None = None
) -> Page:
    """Return the page of the game in a file, whose rules are a module; `players` are those of the first match.

    Raises WishError for mistakes in the file about its boards.
    """
    wishes = wishes_beside(path)
    table = Table(simulator.source_text, path.name, wishes)
    title = title or wishes.title or title_of(path.stem)
    pack = {
        "name": path.stem,
        "title": title,
        "players": dict(players or default_players(simulator.roles)),
        "levels": levels(),
        "about": module.about,
        "known": _known(simulator),
        "game": {**table.about(), "title": title, "explains": False},
        "drawing": drawing_data(table.scene, simulator.circuit, table.game, table.choosing),
        "how": table.how_to_play(),
    }
    packed = _packed(json.dumps(pack, separators=(",", ":")).encode())
    coded = _packed(module.code)
    script, styles = program(), "\n".join([style() + chips(), _read("page.css"), _HIDDEN, _SETUP])
    text = _filled(_read("match.html"), title, script, styles, {"pack": packed, "code": coded})
    return Page(
        text, {"rules": len(coded), "boards and texts": len(packed), "scripts and styles": len(script) + len(styles)}
    )


def _known(simulator: Simulator) -> dict[str, Any]:
    """Return what a search has to know: see `ggp.players.mcts.world.LanesWorld`."""
    game = simulator.circuit
    lengths = simulator.playouts(PLAYOUTS, seed=1)
    stuck = len(game.always_moves) < len(game.roles)
    limits = []
    for role in range(len(game.roles)):
        own = [UNKNOWN if value is None else value / 100 for owner, value in game.goal_table if owner == role]
        if stuck or role not in game.one_goal or not own:
            own.append(UNKNOWN)
        limits.append((min(own), max(own)))
    plies = int(min(lengths.max_length, _LONG * lengths.mean_length)) + 8
    lowest, highest = ([limit[end] for limit in limits] for end in (0, 1))
    return {"plies": plies, "limits": [lowest, highest]}


def default_players(roles: tuple[str, ...], level: int = LEVEL) -> dict[str, str]:
    """Return who plays in the first match: a person the first role, and programs the others."""
    people = [role for role in roles if not is_nature(role)]
    return {role: f"level {level}" if number else "human" for number, role in enumerate(people)}


def _filled(html: str, title: str, script: str, styles: str, data: Mapping[str, str]) -> str:
    """Return a page of the server with everything inside that it loads."""
    html = re.sub(r"<(link|script)\b[^>]*>(</script>)?\n?", "", html)
    html = re.sub(r"<title>.*?</title>", "", html)
    html = re.sub(r'<a class="brand".*?</a>', "", html)
    # The script is the last thing in the file, and removes this.
    html = html.replace("<main", f'<p id="incomplete" class="fault">{_INCOMPLETE}</p>\n<main', 1)
    icon = base64.b64encode((_STATIC / "icon.svg").read_bytes()).decode()
    policy = (
        f"default-src 'none'; script-src '{_hash(script)}' 'wasm-unsafe-eval'; style-src '{_hash(styles)}'; "
        "img-src data:; worker-src blob:; base-uri 'none'; form-action 'none'"
    )
    head = (
        f'<meta http-equiv="Content-Security-Policy" content="{policy}">\n<title>{escape(title)}</title>\n'
        f'<link rel="icon" href="data:image/svg+xml;base64,{icon}">\n<style>{styles}</style>\n'
    )
    blocks = "".join(f'<script type="text/plain" id="{name}">{content}</script>\n' for name, content in data.items())
    body = f'{blocks}<script id="program">{script}</script>\n'
    return html.replace("</head>", f"{head}</head>", 1).replace("</body>", f"{body}</body>", 1)


def program() -> str:
    """Return all scripts of the page as one, which is also that of its worker."""
    made: dict[str, str] = {}
    for name in _FIRST:
        _add(name, made)
    functions = ",\n".join(f"{json.dumps(name)}: () => {{\n{body}\n}}" for name, body in made.items())
    first, worker = map(json.dumps, _FIRST)
    return f"""\
(() => {{
"use strict";
const made = {{}};
const need = (name) => (made[name] ??= makers[name]());
const makers = {{
{functions}
}};
if (typeof document === "undefined") need({worker}).work();
else need({first}).begin().catch((error) => {{ document.getElementById("status").textContent = error.message; }});
}})();"""


def _add(name: str, made: dict[str, str]) -> None:
    """Add the function of a module, after those that it needs."""
    if name in made:
        return
    source = _COMMENT.sub("", _read(name))
    for needed in _needs(name, source):
        _add(needed, made)

    def bound(match: re.Match[str]) -> str:
        names, path = match.groups()
        asked = f"need({json.dumps(_resolved(name, path))});"
        return asked if names is None else f"const {{ {names.strip().replace(' as ', ': ')} }} = {asked}"

    body = _LATE_IMPORT.sub(lambda match: f"need({json.dumps(_resolved(name, match[1]))})", _IMPORT.sub(bound, source))
    exported = [match[2] for match in _EXPORT.finditer(body)]
    body = _EXPORT.sub(r"\1 \2", body)
    left = re.search(r"^(import|export)\b.*|</script|<!--", body, re.MULTILINE)
    if left is not None:
        raise ValueError(f"{name} cannot be part of a page: {left[0]}")
    made[name] = f"{body}\nreturn {{ {', '.join(exported)} }};"


def _needs(name: str, source: str) -> Iterator[str]:
    for _, path in _IMPORT.findall(source):
        yield _resolved(name, path)
    for path in _LATE_IMPORT.findall(source):
        yield _resolved(name, path)


def _resolved(name: str, path: str) -> str:
    """Return the name of a module that another one imports by a path."""
    found = posixpath.normpath(posixpath.join(posixpath.dirname(name), path))
    return _REPLACED.get(found, found)


def _read(name: str) -> str:
    return (_STATIC / name).read_text(encoding="utf-8")


def _packed(data: bytes) -> str:
    """Return data compressed, as text: the same on each day."""
    return base64.b64encode(gzip.compress(data, 9, mtime=0)).decode()


def _hash(text: str) -> str:
    return f"sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}"
