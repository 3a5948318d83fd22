"""Messages and replies: what is printed is read back equal, whatever a server does to a text on its way."""

from __future__ import annotations

import re
from collections.abc import Callable
from contextlib import suppress

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from support.profiles import examples
from support.strategies import symbols
from support.toy_files import SPREAD

from gdl import Reasoner, RulesheetError
from gdl.language.parser import read_source
from gdl.simulator.cache import without_layout
from gdl.terms import Constant, Function, Term, name_key
from ggp.network.protocol.errors import ProtocolError
from ggp.network.protocol.messages import Abort, Info, Message, Play, Preview, Start, Stop, parse_message, rules_line
from ggp.network.protocol.replies import InfoReply, Word, parse_info_reply, parse_move, parse_word
from ggp.rules.shipped_games import find_game

RULES = "(role white) (<= terminal (true (step ?x)) (not (busy ?x)))"


def grounds() -> st.SearchStrategy[Term]:
    """Terms without variables."""
    return st.recursive(
        st.builds(Constant, symbols()),
        lambda inner: st.builds(Function, symbols(), st.lists(inner, min_size=1, max_size=3).map(tuple)),
        max_leaves=6,
    )


def clocks() -> st.SearchStrategy[float]:
    """Seconds, whole ones and milliseconds."""
    return st.integers(0, 10**6).map(float) | st.integers(0, 10**6).map(lambda thousandths: thousandths / 1000)


def moves() -> st.SearchStrategy[tuple[Term, ...] | None]:
    return st.none() | st.lists(grounds(), max_size=4).map(tuple)


def messages() -> st.SearchStrategy[Message]:
    """Any message; identifiers may be odd, but their case counts for nothing."""
    rules = st.just(RULES) | st.lists(grounds().map(str), max_size=4).map(" ".join)
    dresden = st.builds(Play, symbols(), moves(), st.integers(0, 999), st.none() | grounds().filter(_is_no_nil))
    return st.one_of(
        st.just(Info()),
        st.builds(Preview, rules, clocks()),
        st.builds(Start, symbols(), symbols(), rules, clocks(), clocks(), st.lists(symbols(), max_size=2).map(tuple)),
        st.builds(Play, symbols(), moves()),
        st.builds(Stop, symbols(), moves()),
        dresden,
        st.builds(Abort, symbols()),
    )


def _is_no_nil(term: Term) -> bool:
    return term != Constant("nil")


@given(messages())
@examples(100)
def test_a_message_reads_back_equal(message: Message) -> None:
    assert parse_message(str(message)) == message


@pytest.mark.parametrize("game", [path.stem for path in SPREAD])
def test_rules_on_one_line_have_the_cached_code_of_their_file(game: str) -> None:
    text = read_source(find_game(game)).text
    assert without_layout(rules_line(text)) == without_layout(text)


@given(st.text("()a?; \t\n"))
@examples(200)
def test_rules_that_share_cached_code_are_the_same(text: str) -> None:
    """Cached rules are not parsed, so what is left out must change nothing, and hide no mistake."""
    lines = []
    for rules in (text, without_layout(text)):
        try:
            lines.append(rules_line(rules))
        except RulesheetError:
            lines.append(None)
    assert lines[0] == lines[1]


@given(messages(), st.data())
@examples(100)
def test_blanks_comments_and_ends_of_lines_change_nothing(message: Message, data: st.DataObject) -> None:
    blanks = st.sampled_from([" ", "  ", "\t", "\r\n", "\n", "\r", " ; (a comment\n", "\v"])
    # Around parentheses as well, where none need be.
    text = re.sub(r"[()]", lambda found: f"{data.draw(blanks)}{found[0]}{data.draw(blanks)}", str(message))
    read = parse_message(f"\ufeff{text}")
    if isinstance(read, Start | Preview) and isinstance(message, Start | Preview):
        assert rules_line(read.rules) == rules_line(message.rules)
    else:
        assert read == message


@given(messages(), st.sampled_from([str.upper, str.lower, str.swapcase]))
@examples(100)
def test_case_changes_nothing(message: Message, change: Callable[[str], str]) -> None:
    text = str(message)
    assume(text.isascii())
    read = parse_message(change(text))
    match message:
        case Play() | Stop() | Abort():
            assert isinstance(read, type(message))
            assert name_key(read.match_id) == name_key(message.match_id)
            if not isinstance(message, Abort):
                assert (read.moves, read.turn, read.own_move) == (message.moves, message.turn, message.own_move)
        case Start() | Preview():
            assert isinstance(read, type(message))
            assert read.rules.lower() == message.rules.lower()
            # The answer will be spelled as the server spells.
            assert read.rules == change(message.rules)
        case Info():
            assert read == message


@given(messages())
@examples(100)
def test_a_message_that_breaks_off_is_refused(message: Message) -> None:
    text = str(message)
    for end in range(len(text)):
        with pytest.raises(ProtocolError):
            parse_message(text[:end])


@given(st.text() | st.text("()(); \nINFOPLAYSTR?nil0123"))
@examples(200)
def test_any_text_is_read_or_refused(text: str) -> None:
    for read in (parse_message, parse_info_reply, parse_word, parse_move):
        with suppress(ProtocolError):
            read(text)


@pytest.mark.parametrize("game", [path.stem for path in SPREAD])
def test_shouted_rules_are_the_same_game(game: str) -> None:
    reasoner = Reasoner.load(find_game(game))
    start = Start("m.1", reasoner.roles[0], rules_line(reasoner.rulesheet.source.text), 10, 5)
    shouted = parse_message(str(start).upper())
    assert isinstance(shouted, Start)
    loud = Reasoner(shouted.rules)
    assert loud.roles == tuple(role.upper() for role in reasoner.roles)
    assert shouted.role == loud.roles[0]
    state, loud_state = reasoner.initial_state(), loud.initial_state()
    for role, loud_role in zip(reasoner.roles, loud.roles, strict=True):
        legal, loud_legal = reasoner.legal_moves(state, role), loud.legal_moves(loud_state, loud_role)
        assert set(legal) == set(loud_legal)
        # What is answered is spelled as the rules came.
        assert {move.text for move in loud_legal} == {move.text.upper() for move in legal}


def test_a_message_of_ggp_base() -> None:
    text = "( START base.1 WHITE ((ROLE WHITE) (<= TERMINAL (TRUE (STEP ?X))) ) 30 15)"
    assert parse_message(text) == Start("base.1", "WHITE", "(ROLE WHITE) (<= TERMINAL (TRUE (STEP ?X))) ", 30, 15)
    assert parse_message("( PLAY base.1 NIL )") == Play("base.1")
    assert parse_message("( PLAY base.1 ((MARK 1 1) NOOP ) )") == Play(
        "base.1", (Function("mark", (Constant("1"), Constant("1"))), Constant("noop"))
    )
    assert parse_message("( INFO )") == Info()


def test_a_message_of_the_dresden_server() -> None:
    assert parse_message("(PLAY m 0 NIL NIL)") == Play("m", None, 0)
    assert parse_message("(PLAY m 3 (open 1) ((sees noise)))") == Play(
        "m", (Function("sees", (Constant("noise"),)),), 3, Function("open", (Constant("1"),))
    )
    assert parse_message("(STOP m 4 wait ())") == Stop("m", (), 4, Constant("wait"))


def test_arguments_that_may_come_some_day_are_kept_or_left_alone() -> None:
    start = parse_message("(START m r ((role r)) 1 2 (viewer x) 7)")
    assert isinstance(start, Start)
    assert start.further == ("(viewer x)", "7")
    assert parse_message("(INFO m)") == Info()
    assert parse_message("(ABORT m now)") == Abort("m")
    assert parse_message("(PLAY m (a b) later)") == Play("m", (Constant("a"), Constant("b")))


@pytest.mark.parametrize(
    "text",
    [
        *("", "INFO", "()", "(())", "((INFO))", "(INFO) (INFO)", "(WHAT)", "(PLAY)", "(PLAY m)", "(PLAY m noop)"),
        *("(PLAY (m) NIL)", "(PLAY m ((mark ?x 1)))", "(PLAY m (()))", "(ABORT)", "(ABORT (m))", "(STOP m (a\0b))"),
        *("(START m r ((role r)) 1)", "(START m r rules 1 2)", "(START m (r) () 1 2)", "(START m r () soon 2)"),
        *("(START m r () -1 2)", "(START m r () 1 9999999999)", "(START m r () 1e3 2)", "(PREVIEW (role r))"),
        "(PLAY m (" + "a " * 30_000 + "))",
        "(PLAY m " + "(" * 5000 + ")" * 5000 + ")",
    ],
)
def test_what_is_no_message_is_refused(text: str) -> None:
    with pytest.raises(ProtocolError):
        parse_message(text)


def test_what_would_not_be_read_back_is_not_built() -> None:
    for build in (
        lambda: Abort("two words"),
        lambda: Abort(""),
        lambda: Start("m", "r", "(role r", 1, 1),
        lambda: Start("m", "r", "(role r)) (", 1, 1),
        lambda: Start("m", "r", "(role r) ; the rest is lost", 1, 1),
        lambda: Start("m", "r", "(role r)", float("nan"), 1),
        lambda: Play("m", (), None, Constant("noop")),
    ):
        with pytest.raises(ProtocolError):
            build()


@given(st.text(), st.sampled_from(["available", "busy"]), st.text())
@examples(100)
def test_an_info_reply_reads_back(name: str, status: str, species: str) -> None:
    reply = InfoReply(name, status, species)
    once = parse_info_reply(str(reply))
    assert once.status == status
    assert str(once) == str(reply)


def test_info_replies_as_they_come() -> None:
    assert parse_info_reply("( ( NAME Sancho 1.6 ) ( STATUS AVAILABLE ) )") == InfoReply("Sancho 1.6", "available")
    assert parse_info_reply("((name a) (name b) (status busy) (colour red) ())") == InfoReply("a", "busy")
    for text, available in (("available", True), ("READY", True), ("busy", False), ("()", False)):
        assert parse_info_reply(text).available is available


@given(grounds())
@examples(100)
def test_a_move_reads_back(move: Term) -> None:
    read = parse_move(f" \r\n{move} ; my move\n")
    assert read == move
    assert read.text == move.text


def test_words_are_read_in_any_case() -> None:
    assert parse_word(" READY\r\n") == Word.READY
    assert parse_word("Aborted") == Word.ABORTED
    for text in ("", "(ready)", "ready now"):
        with pytest.raises(ProtocolError):
            parse_word(text)


def test_a_move_is_one_term() -> None:
    for text in ("", "a b", "(mark ?x)", "(mark 1", "?x", "()", f"(a{' a' * 9_000})"):
        with pytest.raises(ProtocolError):
            parse_move(text)
