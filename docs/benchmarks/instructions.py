"""Count the instructions of a step of playouts for several processors, whatever this one is. Runs nothing.

    python docs/benchmarks/instructions.py FILE ...

Each row has a game, and for each target the instructions of a step that are straight-line code, for one vector of
lanes, and how many of them are moves of rows between registers and memory, or from one register to another.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path

from gdl import Rulesheet
from gdl.codegen.llvm.machine_code import Machine, host
from gdl.codegen.llvm.playout_loop import assembled, playout_pieces
from gdl.codegen.playout_netlist import playout_netlist
from gdl.simulator.cache import default_folder
from gdl.simulator.compiler import Compiler

ARM = Machine("aarch64-unknown-linux-gnu", "generic", "")
X86 = Machine("x86_64-unknown-linux-gnu", "generic", "+avx,+avx2")
TARGETS = {
    "AVX-512": replace(X86, features=f"{X86.features},+avx512f,+avx512vpopcntdq").vector,
    "AVX2": X86.vector,
    "NEON": ARM.vector,
    "NEON by LLVM": replace(ARM.vector, registers=""),
}

#: Bits of ages in the netlists.
AGE_BITS = 7

#: The names of instructions that move rows.
MOVES = re.compile(r"vmovdqa|ldr|ldp|ldur|str|stp|stur|mov$|mov\.")


def lines_of(text: str, *, by_llvm: bool) -> Iterable[str]:
    """Yield the lines of the functions of a step."""
    if not by_llvm:
        for function in re.findall(r'^module asm "(.*)"$', text, re.MULTILINE):
            if re.search(r"\.type step.*,@function", function):
                yield from function.split("\\0A")
        return
    import llvmlite.binding as llvm

    module = llvm.parse_assembly(f'target triple = "{ARM.triple}"\n{text}')
    machine = llvm.Target.from_triple(ARM.triple).create_target_machine(cpu=ARM.cpu, opt=1, reloc="pic")
    inside = False
    for line in machine.emit_assembly(module).splitlines():
        if found := re.match(r"(\w[\w.]*):", line):
            inside = found[1].startswith("step") or (inside and found[1].startswith(".L"))
        if inside:
            yield line.strip()


def main() -> None:
    """Print the table."""
    import llvmlite.binding as llvm

    host()
    llvm.initialize_all_targets()
    llvm.initialize_all_asmprinters()
    print("| game | " + " | ".join(TARGETS) + " |")
    print("| --- |" + " --- |" * len(TARGETS))
    for file in sys.argv[1:]:
        rules = Rulesheet.load(file)
        playout = playout_netlist(Compiler(rules, default_folder()).game, age_bits=AGE_BITS)
        cells = []
        for target in TARGETS.values():
            text, _ = assembled(playout_pieces(playout, target), target)
            names = [
                line.split()[0] for line in lines_of(text, by_llvm=not target.registers) if re.match("[a-z]", line)
            ]
            names = [name for name in names if not name.endswith(":")]
            cells.append(f"{len(names):,} ({sum(bool(MOVES.match(name)) for name in names):,})")
        print(f"| {Path(file).stem} | " + " | ".join(cells) + " |", flush=True)


if __name__ == "__main__":
    main()
