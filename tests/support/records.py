"""Records of matches, and a strategy for any record."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st

from ggp.match.record import MatchRecord, Ply, Result

RECORD = MatchRecord(
    match_id="nim.1700000000000.abcdef",
    random_token="A" * 32,
    start_time=1_700_000_000_000,
    roles=("left", "right", "random"),
    players=("greedy", "legal", "random"),
    initial_state="((heap 2) (control left))",
    initial_errors=("", "TO", ""),
    plies=(
        Ply(
            moves=("(take 1)", "noop", "(roll 6)"),
            state="((heap 1) (control right))",
            errors=("IL (take 9)", "", ""),
            seconds=(0.25, 0.001234, 0.0),
            choices=(2, 1, 6),
            time=1_700_000_000_250,
        ),
        Ply(
            moves=("noop", "(take 1)", "noop"),
            state="((heap 0) (control left))",
            errors=("", "CE ValueError: x", ""),
            seconds=(0.0, 1.5, 0.0),
            choices=(1, 1, 1),
            time=1_700_000_002_000,
        ),
    ),
    result=Result.FINISHED,
    goals=(0, 100, None),
    seed=7,
    max_plies=500,
    start_clock=30.0,
    play_clock=0.5,
    policy="replace",
    game_name="nim",
    rules="; Nim\n(role left)",
)


texts = st.text(max_size=8)
counts = st.integers(0, 2**50)


@st.composite
def records(draw: st.DrawFn) -> MatchRecord:
    width = draw(st.integers(1, 3))

    def row(of: st.SearchStrategy[Any]) -> Any:
        return tuple(draw(st.lists(of, min_size=width, max_size=width)))

    seconds = st.integers(0, 10**9).map(lambda microseconds: microseconds / 10**6)
    result = draw(st.sampled_from(list(Result)))
    clocks = st.none() | st.floats(0.001, 1e6)
    completed = result in (Result.FINISHED, Result.DISQUALIFIED)
    plies = draw(st.integers(0, 3))
    return MatchRecord(
        match_id=draw(texts),
        random_token=draw(texts),
        start_time=draw(counts),
        roles=row(texts),
        players=row(texts),
        initial_state=draw(texts),
        initial_errors=row(texts),
        plies=tuple(
            Ply(row(texts), draw(texts), row(texts), row(seconds), row(counts), draw(counts)) for _ in range(plies)
        ),
        last_errors=draw(st.sampled_from([(), row(texts)])),
        result=result,
        goals=row(st.none() | st.integers(0, 100)) if completed else (),
        disqualified=tuple(draw(st.lists(texts, max_size=2))),
        rules_error=draw(texts),
        seed=draw(st.none() | counts),
        max_plies=draw(st.none() | counts),
        start_clock=draw(clocks),
        play_clock=draw(clocks),
        policy=draw(texts),
        game_name=draw(texts),
        rules=draw(texts),
        game_url=draw(texts),
    )
