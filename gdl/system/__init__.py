"""Services of the operating system: files, child processes, memory, and the trust in files."""
