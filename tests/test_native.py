"""Machine code in memory, wherever the system has some."""

from __future__ import annotations

import subprocess
import sys
from textwrap import dedent

import pytest
from toy_files import ROOT


@pytest.mark.skipif(sys.platform != "linux", reason="takes up memory as Linux gives it")
def test_free_memory_is_in_small_pieces_far_apart() -> None:
    # In a process of its own: where one section of the code is too far from another, LLVM aborts.
    script = """
        import ctypes, mmap
        from gdl.codegen.native import Library, compiled, host

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
    done = subprocess.run([sys.executable, "-c", dedent(script)], capture_output=True, text=True, cwd=ROOT)
    assert (done.returncode, done.stdout.split()) == (0, ["7"] * 20), done.stderr
