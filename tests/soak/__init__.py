"""A soak: the services run for a long time under honest and hostile requests.

    PYTHONPATH=.:tests python -m soak --minutes 60

Starts `ggp serve`, three `ggp join` and `ggp host` as processes on free ports of the loopback interface. For the first
minutes, only honest requests are sent; then hostile ones are mixed in. Prints a report, and exits with status 1 unless
all expectations are met:

- The memory of each service, and the number of its processes and open files, do not grow: the median of the last
  quarter of the time exceeds that of the second quarter by at most 10 %.
- No honest match has late moves, crashes or refused requests, beyond the share that also had them without hostile
  requests. Players on the network do not have to be replaced by random moves more often than without, either.
- Every request gets one of the expected answers in time. None gets status 500.
- No log contains a traceback.
- After SIGTERM, no process is left.

Linux only: memory and processes are read from /proc.
"""
