"""A game as a module for JavaScript, with its rules as WebAssembly inside, and the types of that module."""

from __future__ import annotations

import base64
import json
from pathlib import Path
from typing import Final

from gdl.codegen.portable.game import PortableGame
from gdl.codegen.portable.wasm import about_module, wasm_module

_OFFLINE: Final = Path(__file__).parent.parent / "static" / "offline"

_OPEN: Final = """
const ABOUT = {about};
const CODE = "{code}";

/** Compile the rules: `const rules = await open();`. */
export function open() {{
  return Rules.open({{ about: ABOUT, code: Uint8Array.from(atob(CODE), (letter) => letter.charCodeAt(0)) }});
}}
"""


def javascript_module(game: PortableGame) -> tuple[str, str]:
    """Return the text of a module, which works in browsers and in Node.js, and that of its types."""
    about = about_module(game)
    code = base64.b64encode(wasm_module(game)).decode()
    text = (_OFFLINE / "engine.js").read_text(encoding="utf-8")
    types = (_OFFLINE / "exported.d.ts").read_text(encoding="utf-8")
    return text + _OPEN.format(about=json.dumps(about, separators=(",", ":")), code=code), types
