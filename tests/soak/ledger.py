"""The ledger of a soak: requests and their answers, matches, and everything that was not as expected."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Collection
from dataclasses import dataclass, field

#: Notes of one kind that are kept; further ones are only counted.
KEPT = 12

#: Seconds in which honest requests must be answered.
PROMPT = 5.0


@dataclass
class Ledger:
    """Counts answers by service, kind of request and answer; and matches with and without faults."""

    hostile: bool = False
    started: float = field(default_factory=time.monotonic)
    answers: Counter[tuple[str, str, str]] = field(default_factory=Counter)
    misses: dict[str, list[str]] = field(default_factory=dict)
    missed: Counter[str] = field(default_factory=Counter)
    slowest: dict[str, float] = field(default_factory=dict)
    matches: Counter[tuple[str, bool]] = field(default_factory=Counter)
    moves: Counter[tuple[str, bool, bool]] = field(default_factory=Counter)
    faulty: Counter[bool] = field(default_factory=Counter)
    faults: list[str] = field(default_factory=list)

    def answered(self, service: str, kind: str, answer: str, expected: Collection[str], detail: str = "") -> None:
        """Count an answer. `expected` has statuses such as `200`, classes such as `4xx`, or words such as `closed`."""
        self.answers[service, kind, answer] += 1
        if answer not in expected and f"{answer[:1]}xx" not in expected:
            self.miss("unexpected answers", f"{service}: {kind}: {answer} {detail[:300]}")

    def miss(self, what: str, note: str) -> None:
        """Report something that was not as expected."""
        self.missed[what] += 1
        kept = self.misses.setdefault(what, [])
        if len(kept) < KEPT:
            kept.append(f"{time.monotonic() - self.started:6.0f} s  {note}")

    def took(self, service: str, seconds: float) -> None:
        """Record how long an honest request took."""
        self.slowest[service] = max(self.slowest.get(service, 0.0), seconds)
        if seconds > PROMPT:
            self.miss("slow answers to honest requests", f"{service}: {seconds:.1f} s")

    def match(self, service: str, faults: str) -> None:
        """Record an honest match. `faults` says what went wrong; it is empty for a good match."""
        self.matches[service, self.hostile] += 1
        if faults:
            self.faulty[self.hostile] += 1
            when = "with hostile requests" if self.hostile else "alone"
            self.faults.append(f"{time.monotonic() - self.started:6.0f} s  {service}, {when}: {faults[:300]}")

    def move(self, service: str, *, at_random: bool) -> None:
        """Record a move of an honest match; at random if the player was late, and `ggp join` answered for it."""
        self.moves[service, self.hostile, at_random] += 1

    def random_share(self, service: str, hostile: bool) -> float:
        """Return the share of a player's moves that were made at random."""
        late, good = self.moves[service, hostile, True], self.moves[service, hostile, False]
        return late / (late + good) if late + good else 0.0

    def share(self, hostile: bool) -> float:
        """Return the share of matches with faults."""
        count = sum(number for (_, when), number in self.matches.items() if when == hostile)
        return self.faulty[hostile] / count if count else 0.0
