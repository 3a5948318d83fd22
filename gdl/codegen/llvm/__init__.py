"""LLVM assembly from netlists, and machine code from assembly."""
