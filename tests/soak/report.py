"""The report of a soak, and the judgement of it."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from statistics import median

from soak.ledger import Ledger
from soak.processes import Service, Usage

#: Growth from the second quarter of the time to the last that still counts as flat.
FLAT = 1.10

#: Growth in bytes, processes and open files that is never a leak.
SLACK = {"memory": 8 << 20, "processes": 2, "open files": 8}

#: The share of a player's moves, beyond that without hostile requests, that may be made at random because it was late.
RANDOM = 0.05

#: Seconds of a soak below which growth is not judged: caches are still filling.
SHORT = 600.0

#: Lines of logs that must not occur.
FAULTS = re.compile(r"Traceback \(most recent|was never retrieved|Fatal Python error|Segmentation fault")


def judge_growth(service: Service, ledger: Ledger, begun: float, ended: float) -> str:
    """Compare the resources of a service in the second and in the last quarter. Return a line about them."""
    length = ended - begun
    second = [one for one in service.usage if begun + length / 4 <= one.at < begun + length / 2]
    last = [one for one in service.usage if one.at >= begun + 3 * length / 4]
    if not second or not last:
        return "too few samples"
    parts = []
    for title, kind, value in (
        ("own memory", "memory", lambda one: one.own),
        ("memory of all processes", "memory", lambda one: one.all),
        ("processes", "processes", lambda one: one.processes),
        ("open files", "open files", lambda one: one.files),
    ):
        before, after, most = _median(second, value), _median(last, value), max(map(value, service.usage))
        unit = 1 << 20 if kind == "memory" else 1
        parts.append(f"{title} {before / unit:.0f} -> {after / unit:.0f} (most {most / unit:.0f})")
        if length >= SHORT and after > max(before * FLAT, before + SLACK[kind]):
            ledger.miss("growth", f"{service.name}: {parts[-1]}")
    return "; ".join(parts)


def _median(samples: Sequence[Usage], value: Callable[[Usage], int]) -> float:
    return median(map(value, samples))


def judge_logs(services: Iterable[Service], ledger: Ledger) -> None:
    """Report the tracebacks in the logs of the services."""
    for service in services:
        found: Counter[str] = Counter()
        lines = service.text().splitlines()
        for number, line in enumerate(lines):
            if FAULTS.search(line):
                rest = (one for one in lines[number + 1 :] if one and not one.startswith(" "))
                found[f"{line} {next(rest, '')}"[:400]] += 1
        for fault, count in found.most_common():
            ledger.miss("faults in logs", f"{service.name}: {count} x {fault}")


def judge_matches(ledger: Ledger) -> None:
    """Compare matches with hostile requests with those before."""
    if ledger.share(hostile=True) > ledger.share(hostile=False):
        shares = f"{ledger.share(hostile=False):.1%} of the matches alone, {ledger.share(hostile=True):.1%} with"
        ledger.miss("matches with late moves or other faults", f"{shares} hostile requests; see below")
    for service in sorted({service for service, _, _ in ledger.moves}):
        alone, mixed = ledger.random_share(service, hostile=False), ledger.random_share(service, hostile=True)
        if mixed > alone + RANDOM:
            note = f"{service}: {alone:.1%} of the moves alone, {mixed:.1%} with hostile requests"
            ledger.miss("moves made at random for late players", note)
    for hostile in (False, True):
        if not any(when == hostile for _, when in ledger.matches):
            ledger.miss("too few matches", "no honest match with hostile requests" if hostile else "no match alone")


def printed(ledger: Ledger, growth: dict[str, str]) -> str:
    """Return the report as text."""
    lines = ["", "Requests by service and kind, with the number of each answer:", ""]
    kinds: dict[tuple[str, str], list[str]] = {}
    for (service, kind, answer), count in sorted(ledger.answers.items()):
        kinds.setdefault((service, kind), []).append(f"{answer}: {count}")
    lines += [f"  {service:12} {kind:36} {', '.join(found)}" for (service, kind), found in kinds.items()]
    lines += ["", f"Requests in total: {ledger.answers.total():,}", "", "Honest matches:", ""]
    for (service, hostile), count in sorted(ledger.matches.items()):
        lines.append(f"  {service:12} {'with hostile requests' if hostile else 'alone':24} {count}")
    lines += [f"    {fault}" for fault in ledger.faults[:60]]
    if len(ledger.faults) > 60:
        lines.append(f"    and {len(ledger.faults) - 60} more")
    lines += ["", "Moves of players on the network that were late, so that random ones were sent in time:", ""]
    for service in sorted({service for service, _, _ in ledger.moves}):
        alone, mixed = ledger.random_share(service, hostile=False), ledger.random_share(service, hostile=True)
        lines.append(f"  {service:12} {alone:.1%} alone, {mixed:.1%} with hostile requests")
    slowest = ", ".join(f"{service} {seconds:.2f} s" for service, seconds in sorted(ledger.slowest.items()))
    lines += [
        "",
        f"Slowest answers to simple requests: {slowest}",
        "",
        "Medians of the second and last quarter (MiB):",
        "",
    ]
    lines += [f"  {service:12} {line}" for service, line in growth.items()]
    lines += ["", "Not as expected:" if ledger.misses else "Everything was as expected."]
    for what, notes in ledger.misses.items():
        lines += ["", f"  {what}: {ledger.missed[what]}", *(f"    {note}" for note in notes)]
    return "\n".join(lines)
