"""The comments of rule files as text: opening comments with tables and drawings, comments of relations."""

from __future__ import annotations

from ggp.rules.comments import Kind, opening_comment, relation_comments

OPENING = """\
; Chess
;
; Two armies. The king
; counts; nothing else does.
;
; Facts   (cell X Y P)  a piece; X and Y
;                       are 1 to 8
;         (control R)   the role to move
; Moves   (go X Y)      one step
;         noop          nothing
;
; It is judged so:
;   1. Mate wins.
;   2. A full board is a draw.
;
;    1    2
;    a-   b
;     |  |

; ------------------------------------- roles

(role white) ; not part of it
; nor this
"""


def test_an_opening_comment_becomes_text() -> None:
    found = opening_comment(OPENING)
    assert found.title == "Chess"
    assert found.first_sentence == "Two armies."
    assert [(block.kind, block.subject, block.text) for block in found.blocks] == [
        (Kind.TEXT, "", "Two armies. The king counts; nothing else does."),
        (Kind.TEXT, "", "Facts:"),
        (Kind.ROW, "(cell X Y P)", "a piece; X and Y are 1 to 8"),
        (Kind.ROW, "(control R)", "the role to move"),
        (Kind.TEXT, "", "Moves:"),
        (Kind.ROW, "(go X Y)", "one step"),
        (Kind.ROW, "noop", "nothing"),
        (Kind.TEXT, "", "It is judged so:"),
        (Kind.TEXT, "", "1. Mate wins."),
        (Kind.TEXT, "", "2. A full board is a draw."),
        (Kind.DRAWING, "", "1    2\na-   b\n |  |"),
    ]


def test_boxes_and_rulers_are_no_text() -> None:
    text = (
        ";;;;;;;;;;;;;\n;;; Breakthrough\n;;;;;;;;;;;;;\n\n"
        ";;;;;;;;;;;;;\n;;; ROLE Relations\n;;;;;;;;;;;;;\n(role white)"
    )
    found = opening_comment(text)
    assert [block.text for block in found.blocks] == ["Breakthrough"]
    boxed = ";**********\n;* Checkers by N.   *\n;* You have to jump. *\n;**********\n\n(role red)"
    assert [block.text for block in opening_comment(boxed).blocks] == ["Checkers by N. You have to jump."]


def test_a_comment_above_the_first_rule_may_be_all_there_is() -> None:
    assert opening_comment("; One line\n(role white)").first_sentence == "One line"
    text = "; Nim\n\n; Who takes the last one wins.\n\n; the roles\n(role a)"
    assert [block.text for block in opening_comment(text).blocks] == ["Who takes the last one wins."]


def test_texts_without_a_comment() -> None:
    for text in ("", "(role white) ; no", "\n\n(role white)"):
        assert opening_comment(text).blocks == ()
        assert opening_comment(text).first_sentence == ""


def test_comments_of_relations() -> None:
    text = """
; (Wins R): R has
; a line.
(<= (wins ?r) (line ?r))
; full: no cell is blank.
(<= full (not blank))
; about nothing
; in particular (as here): really
"""
    assert relation_comments(text) == {"wins": "(Wins R): R has a line.", "full": "full: no cell is blank."}
