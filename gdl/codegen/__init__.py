"""Code generated from circuits: netlists of three-input operations, machine code by LLVM, and an interpreter."""
