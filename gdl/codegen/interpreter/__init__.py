"""An interpreter of netlists, compiled by Numba, for circuits too large for LLVM."""
