"""A game as WebAssembly, and as a module for JavaScript with that inside, and its types."""

from __future__ import annotations

import base64
import json
from pathlib import Path
from typing import Final

from gdl.codegen.portable.game import portable
from gdl.codegen.portable.wasm import Module, wasm_module
from gdl.simulator.simulator import Simulator

_OFFLINE: Final = Path(__file__).parent.parent / "static" / "offline"

_OPEN: Final = """
const ABOUT = {about};
const CODE = "{code}";

/** Compile the rules: `const rules = await open();`. */
export function open() {{
  return Rules.open({{ about: ABOUT, code: Uint8Array.from(atob(CODE), (letter) => letter.charCodeAt(0)) }});
}}
"""


def module_of(simulator: Simulator) -> Module:
    """Return the module of a game. It is kept in the cache, as that of a large game takes seconds to make."""
    entries = simulator.entries("module")
    code, about = entries.read("code"), entries.read("about")
    if code is not None and about is not None:
        return Module(code, *json.loads(about))
    made = wasm_module(portable(simulator.circuit))
    entries.write("code", made.code)
    entries.write("about", json.dumps([made.about, made.operations]).encode())
    return made


def javascript_module(module: Module) -> tuple[str, str]:
    """Return the text of a module, which works in browsers and in Node.js, and that of its types."""
    code = base64.b64encode(module.code).decode()
    text = (_OFFLINE / "engine.js").read_text(encoding="utf-8")
    types = (_OFFLINE / "exported.d.ts").read_text(encoding="utf-8")
    return text + _OPEN.format(about=json.dumps(module.about, separators=(",", ":")), code=code), types
