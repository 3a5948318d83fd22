"""Code from circuits: netlists of three-input operations, machine code by LLVM, an interpreter for large circuits."""
