"""Playouts of an exported game in Chromium, against native code with vectors of 128 bits, by turns on the same machine.

    python docs/benchmarks/exported.py connect_four breakthrough

Both make the same playouts from the initial state; each figure is the best of many short rounds.
"""

from __future__ import annotations

import base64
import shutil
import sys
import time
from pathlib import Path

import numpy as np
from playwright.sync_api import sync_playwright

import gdl
from gdl.codegen.llvm.machine_code import use
from gdl.codegen.portable.game import portable
from gdl.codegen.portable.wasm import wasm_module
from gdl.simulator.arrays import Arrays, Playouts
from ggp.rules.shipped_games import find_game

ENGINE = Path(__file__).parents[2] / "ggp/server/static/offline/engine.js"
STATES = 4096
PLIES = 1000
ROUNDS = 100
SECONDS = 0.008

OPEN = """async ({ engine, about, code, count, plies, seconds }) => {
  const { Rules } = await import(URL.createObjectURL(new Blob([engine], { type: "text/javascript" })));
  const rules = await Rules.open({ about, code: Uint8Array.from(atob(code), (letter) => letter.charCodeAt(0)) });
  const states = rules.pack(Array(count).fill(rules.initial()));
  globalThis.round = () => {
    const begun = performance.now();
    let calls = 0;
    while (performance.now() - begun < 1000 * seconds) for (let more = 2; more--; calls++) rules.ends(states, plies);
    return (performance.now() - begun) / 1000 / calls;
  };
  for (let warm = 0; warm < 200; warm++) round();  // until the browser has optimized the code
}"""


def main(names: list[str]) -> None:
    """Measure some games."""
    use("avx")
    with sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=shutil.which("chromium"), args=["--no-sandbox"])
        for name in names:
            simulator = gdl.Simulator.load(find_game(name))
            assert isinstance(simulator, gdl.Simulator)
            arrays = Arrays(simulator)
            states = np.repeat(arrays.pack([simulator.initial_state()]), STATES, axis=0)
            playouts = Playouts(arrays, 1)
            module = wasm_module(portable(simulator.circuit))
            page = browser.new_page()
            given = {
                "engine": ENGINE.read_text(encoding="utf-8"),
                "about": module.about,
                "code": base64.b64encode(module.code).decode(),
                "count": STATES,
                "plies": PLIES,
                "seconds": SECONDS,
            }
            page.evaluate(OPEN, given)
            native, there = [], []
            for _ in range(ROUNDS):
                begun, count = time.perf_counter(), 0
                while time.perf_counter() - begun < SECONDS:
                    playouts.run(states, PLIES)
                    count += 1
                native.append((time.perf_counter() - begun) / count)
                there.append(page.evaluate("round()"))
            one, other = STATES / min(native), STATES / min(there)
            print(f"{name}: native {one:,.0f} playouts/s, Chromium {other:,.0f}, {other / one:.2f} times")
        browser.close()


if __name__ == "__main__":
    main(sys.argv[1:])
