"""Edits of texts, and places as offsets."""

from __future__ import annotations

import pytest

from gdl.errors import Source
from gdl.language.edits import Edit, Offsets, apply, offset_before


class TestEdits:
    def test_edits_are_applied_together(self) -> None:
        assert apply("abcdef", [Edit(4, 6, "Z"), Edit(0, 1, ""), Edit(2, 2, "-")]) == "b-cdZ"

    def test_overlapping_edits_are_refused(self) -> None:
        with pytest.raises(ValueError, match="two edits"):
            apply("abcdef", [Edit(0, 3, ""), Edit(2, 4, "")])

    def test_offsets_before_edits(self) -> None:
        before, edits = "abcdef", [Edit(4, 5, "XYZ"), Edit(0, 1, ""), Edit(2, 2, "-")]
        after = apply(before, edits)
        assert after == "b-cdXYZf"
        assert [offset_before(edits, offset) for offset in range(len(after))] == [1, 2, 2, 3, 4, 4, 4, 5]

    def test_places_and_offsets(self) -> None:
        offsets = Offsets(Source("g.kif", "ab\ncde\n"))
        for offset, place in [(0, (1, 1)), (2, (1, 3)), (3, (2, 1)), (5, (2, 3)), (7, (3, 1))]:
            assert offsets.place(offset) == place
            assert offsets.start(offsets.location(offset, offset + 1)) == offset
        assert offsets.location(1, 6).width == 1
