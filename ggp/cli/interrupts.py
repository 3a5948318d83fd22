"""Ctrl-C and SIGTERM: a command hears them once, whatever it is doing, and a second one ends it.

Python raises KeyboardInterrupt wherever the main thread happens to be. That is too early where LLVM calls back into
Python, as it drops what is raised there, and too late while native code runs. So the handler raises it once, and not
below LLVM. A thread beside hears signals at once, and sends one again until it could be raised. It ends the process if
native code goes on for too long, and after a second signal. The kernel then ends the child processes
(`gdl.system.lifeline`).
"""

from __future__ import annotations

import os
import signal
import socket
import sys
import threading
from collections.abc import Coroutine, Iterator
from contextlib import contextmanager, suppress
from time import monotonic
from types import FrameType
from typing import TYPE_CHECKING, Any, Final, NoReturn, TypeVar, final

if TYPE_CHECKING:
    from sys import UnraisableHookArgs

T = TypeVar("T")

#: Seconds after which the main thread must have heard a signal.
PATIENCE: Final = 2.0

#: Seconds in which signals count as one: `timeout`, for example, sends two at once.
_APART: Final = 0.5

#: Seconds between two looks at whether a signal has been heard.
_GLANCE: Final = 0.05

#: The modules whose calls hold the lock of LLVM, and are called by it.
_NATIVE: Final = "llvmlite.binding"

#: The name of the task that an interrupt cancels.
_MAIN: Final = "command"


@final
class Interrupts:
    """The signals that have come to a command."""

    def __init__(self, numbers: frozenset[int]) -> None:
        """Wait for signals with these numbers."""
        #: The first signal, 0 if there was none.
        self.number = 0
        self._numbers = numbers
        self._heard = False
        self._main = threading.get_ident()
        self._reader, self._writer = socket.socketpair()
        self._writer.setblocking(False)
        self._thread = threading.Thread(target=self._watch, name="signals", daemon=True)

    def start(self) -> None:
        """Begin to listen; call it in the main thread."""
        signal.set_wakeup_fd(self._writer.fileno(), warn_on_full_buffer=False)
        self._thread.start()

    def stop(self) -> None:
        """Listen no more."""
        self._heard = True
        self._writer.close()
        self._thread.join()
        self._reader.close()

    def check(self) -> None:
        """Raise KeyboardInterrupt if there was a signal, but no moment to raise it."""
        if self.number and not self._heard:
            self._heard = True
            raise KeyboardInterrupt

    def handle(self, number: int, frame: FrameType | None) -> None:
        """Handle a signal in the main thread: raise KeyboardInterrupt, if it is the first one and not too early."""
        self.number = self.number or number
        # An event loop may have put another one there for a while.
        if signal.set_wakeup_fd(self._writer.fileno(), warn_on_full_buffer=False) != self._writer.fileno():
            self._writer.send(bytes([number]))
        if self._heard or _is_native(frame):
            return
        self._heard = True
        if not _interrupt_loop():
            raise KeyboardInterrupt

    def drop(self, dropped: UnraisableHookArgs) -> bool:
        """Return True if the interrupt was raised where Python drops errors, such as in `__del__`; it comes again."""
        if not issubclass(dropped.exc_type, KeyboardInterrupt):
            return False
        self._heard = False
        return True

    def _watch(self) -> None:
        """Send a signal to the main thread again until it has heard it; end the process if it never does."""
        began, resent = 0.0, 0
        while True:
            try:
                came = self._reader.recv(64)
                if not came:
                    return
            except TimeoutError:
                came = b""
            signals = [number for number in came if number in self._numbers]
            new, resent = len(signals) - resent, 0
            now = monotonic()
            if new > 0 and not began:
                began = now
                self.number = self.number or signals[0]
                self._reader.settimeout(_GLANCE)
            elif new > 0 and now - began > _APART:
                self._end()
            if not began or self._heard or came:
                continue
            if now - began > PATIENCE:
                self._end()
            if hasattr(signal, "pthread_kill"):
                resent = 1
                signal.pthread_kill(self._main, self.number)

    def _end(self) -> NoReturn:
        """End the process, as the main thread cannot."""
        with suppress(OSError):
            os.write(2, b"terminated\n" if self.number == signal.SIGTERM else b"interrupted\n")
        os._exit(128 + self.number)


@contextmanager
def interruptible() -> Iterator[Interrupts | None]:
    """Raise KeyboardInterrupt in the context after Ctrl-C and SIGTERM, once; the second one ends the process.

    Only the main thread can do so: in others, nothing happens, and None is returned.
    """
    if threading.current_thread() is not threading.main_thread():
        yield None
        return
    # Ctrl-C may be ignored, as in background jobs of a script.
    usual = {
        number: signal.getsignal(number)
        for number in (signal.SIGINT, signal.SIGTERM)
        if number == signal.SIGTERM or signal.getsignal(number) is not signal.SIG_IGN
    }
    interrupts = Interrupts(frozenset(usual))
    hook = sys.unraisablehook
    other = signal.set_wakeup_fd(-1)
    try:
        interrupts.start()
        sys.unraisablehook = lambda dropped: interrupts.drop(dropped) or hook(dropped)
        for number in usual:
            signal.signal(number, interrupts.handle)
        yield interrupts
        interrupts.check()
    finally:
        for number, handler in usual.items():
            signal.signal(number, handler)
        signal.set_wakeup_fd(other)
        sys.unraisablehook = hook
        interrupts.stop()


def _is_native(frame: FrameType | None) -> bool:
    """Return True if a frame is below a call of LLVM."""
    while frame is not None:
        if str(frame.f_globals.get("__name__")).startswith(_NATIVE):
            return True
        frame = frame.f_back
    return False


def run_async(work: Coroutine[Any, Any, T]) -> T:
    """Run a coroutine in an event loop, as `asyncio.run` does. An interrupt cancels it, and is raised at its end."""
    import asyncio

    async def main() -> T:
        task = asyncio.current_task()
        assert task is not None
        task.set_name(_MAIN)
        return await work

    try:
        return asyncio.run(main())
    except asyncio.CancelledError:
        raise KeyboardInterrupt from None


def _interrupt_loop() -> bool:
    """Interrupt the event loop that runs here; return False if there is none.

    KeyboardInterrupt, raised at once, would be taken for an error of the task that happens to run.
    """
    if "asyncio" not in sys.modules:
        return False
    import asyncio

    try:
        loop = asyncio.get_running_loop()
    except RuntimeError:
        return False

    def interrupt() -> None:
        for task in asyncio.all_tasks(loop):
            if task.get_name() == _MAIN:
                task.cancel()
                return
        raise KeyboardInterrupt

    loop.call_soon_threadsafe(interrupt)  # also wakes the loop
    return True
