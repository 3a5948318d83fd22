"""Machine code in memory, wherever the system has some."""

from __future__ import annotations

import os
import subprocess
import sys
from textwrap import dedent

import pytest
from support.toy_files import ROOT

from gdl.codegen.llvm.machine_code import Machine, host, narrowed
from gdl.errors import GdlError


@pytest.mark.skipif(sys.platform != "linux", reason="takes up memory as Linux gives it")
def test_free_memory_is_in_small_pieces_far_apart() -> None:
    # In a process of its own: where one section of the code is too far from another, LLVM aborts.
    script = """
        import ctypes, mmap
        from gdl.codegen.llvm.machine_code import Library, compiled, host

        def taken(size):
            return mmap.mmap(-1, size, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS, prot=mmap.PROT_READ)

        # A table that fills a hole, so that the function that reads it has to be elsewhere.
        hole = 1 << 16
        words = hole // 8
        code = compiled(f'''
        @table = internal constant [{words} x i64] [{", ".join(["i64 7"] * words)}]
        define i64 @at(i64 %i) {{
          %place = getelementptr [{words} x i64], ptr @table, i64 0, i64 %i
          %value = load i64, ptr %place
          ret i64 %value
        }}''', host())
        gaps = [taken(hole) for _ in range(20_000)]
        holes, between = [], []
        for _ in range(32):
            holes.append(taken(hole))
            between.append(taken(3 << 30))
        for one in holes:
            one.close()
        functions = [Library(code).function("at", ctypes.c_int64, ctypes.c_int64) for _ in range(20)]
        print(*(function(words - 1) for function in functions))
    """
    assert printed(script) == "7 " * 19 + "7"


def test_threads_look_up_the_same_function_at_once() -> None:
    # In a process of its own: where one thread's code is taken away by another's, it crashes.
    script = """
        import ctypes, sys, threading
        from gdl.codegen.llvm.machine_code import Library, compiled, host

        sys.setswitchinterval(1e-6)
        code = compiled("define i64 @next(i64 %x) {\\n %y = add i64 %x, 1\\n ret i64 %y\\n}", host())
        results = []

        def work(library, start):
            start.wait()
            function = library.function("next", ctypes.c_int64, ctypes.c_int64)
            results.append(sum(function(i) for i in range(50)))

        for _ in range(100):
            library, start = Library(code), threading.Barrier(4)
            threads = [threading.Thread(target=work, args=(library, start)) for _ in range(4)]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
        print(len(results), *set(results))
    """
    assert printed(script) == f"400 {sum(range(51))}"


def test_a_library_calls_functions_of_another() -> None:
    """The other one stays, although only the caller is kept."""
    script = """
        import ctypes, gc
        from gdl.codegen.llvm.machine_code import Library, compiled, host
        code = compiled("define i64 @next(i64 %x) {\\n %y = add i64 %x, 1\\n ret i64 %y\\n}", host())
        calls = compiled('''declare i64 @next(i64)
            define i64 @twice(i64 %x) {
            %y = call i64 @next(i64 %x)
            %z = call i64 @next(i64 %y)
            ret i64 %z
        }''', host())
        twice = Library(calls, Library(code), ["next"]).function("twice", ctypes.c_int64, ctypes.c_int64)
        gc.collect()
        print(twice(40))
    """
    assert printed(script) == "42"


@pytest.mark.parametrize(("vectors", "bits"), [("avx2", 256), ("avx", 128), ("sse2", 128)])
def test_narrower_vectors_can_be_named(vectors: str, bits: int) -> None:
    """Code has no registers and instructions of wider ones, whoever made it."""
    if "avx512f" not in host().features:
        pytest.skip("this processor has no wider vectors")
    script = """
        import re
        from gdl import Rulesheet
        from gdl.circuit.build.ground_program import build
        from gdl.codegen.llvm.machine_code import compiled, host
        from gdl.codegen.llvm.playout_loop import stepper
        from gdl.codegen.playout_netlist import playout_netlist
        from gdl.grounder import ground
        game = build(ground(Rulesheet.load("games/classics/tic_tac_toe.kif")))
        text, _ = stepper(playout_netlist(game, age_bits=4), host().vector)
        used = set(re.findall("%([xyz]mm)", text))
        print(host().vector.bits, repr(host().vector.registers), *used, compiled(text, host())[:4])
    """
    expected = {"avx2": "ymm", "avx": "xmm", "sse2": ""}[vectors]
    found = printed(script, GDL_TARGET=vectors).split()
    assert found == [str(bits), repr(vectors if vectors != "sse2" else ""), *expected.split(), r"b'\x7fELF'"]


def test_vectors_that_a_processor_does_not_have_are_refused() -> None:
    machine = Machine("x86_64-linux", "some", "+sse2,+avx,+avx2,-avx512f")
    assert narrowed(machine, "avx2").vector.bits == 256
    assert narrowed(machine, "avx").features == "+sse2,+avx,-avx512f,-avx2"
    for vectors in ("avx512", "neon", ""):
        with pytest.raises(GdlError, match="avx2, avx, sse2"):
            narrowed(machine, vectors)


def printed(script: str, **variables: str) -> str:
    """The output of a script that ends well."""
    environment = {**os.environ, **variables}
    done = subprocess.run(
        [sys.executable, "-c", dedent(script)], capture_output=True, text=True, cwd=ROOT, env=environment
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()
