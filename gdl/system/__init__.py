"""What is needed of the operating system: files, child processes, memory, and whom to trust."""
