"""Whatever text comes in: the checker reports, its fixes can be applied, and what it reports has a place."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st
from support.mutations import BYTES, CHANGES, MIX, RULES, SOUP, START, TEXTS, mutated
from support.profiles import examples

from gdl.checker import CODES, check
from gdl.language.edits import apply
from gdl.language.parser import source_of
from gdl.language.reading import read
from ggp.rules.checking import FORMATS, Options, check_source, written
from ggp.rules.checking.mending import mended

#: Texts of all kinds: bytes as text, soup, rules, rule files with a few changes.
TEXTS = (
    BYTES.map(lambda data: data.decode("utf-8", errors="surrogateescape"))
    | SOUP
    | SOUP.map(lambda soup: START + soup)
    | RULES.map(lambda rules: START + rules)
    | st.builds(mutated, st.sampled_from(TEXTS), CHANGES)
    | MIX.map(" ".join)
)


def check_any(text: str) -> None:
    """Check a text, and all that is said of it."""
    source = source_of(text, "g.kif")
    reading = read(source)
    found = check(text, "g.kif")
    refused = {one.code for one in found if CODES[one.code].refused}
    if any(one.code == "foreign-notation" for one in found):  # It stands for the mistakes in its statement.
        assert refused <= {one.code for one in reading.mistakes}
    else:
        assert refused == {one.code for one in reading.mistakes}
    for one in found:
        for place in (one.location, *(note.location for note in one.notes)):
            line = source.line(place.line)
            assert 1 <= place.column <= len(line) + 1
            assert place.width >= 1
        if one.fix is not None:
            assert one.fix.edits
            apply(source.text, one.fix.edits)
        str(one).encode("utf-8", errors="surrogateescape")
    report = check_source(source, Options())
    for form in FORMATS:
        written([report], form)
    after = mended(source)
    if not reading.mistakes:
        again = read(source_of(after.text, "g.kif"))
        assert not again.mistakes
        assert len(set(again.rules)) <= len(set(reading.rules))
        assert not mended(again.source).applied


@examples(40, thorough=150)
@given(text=TEXTS)
def test_any_text(text: str) -> None:
    check_any(text)
