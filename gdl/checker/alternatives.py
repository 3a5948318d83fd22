"""Finds the parts of a rule with `or` that can never hold, although the rule can fire.

A flat rule that never fires is one choice from each `or` of its statement. Its conditions may hold in other choices, so
only a condition that no possible choice has is reported.
"""

from __future__ import annotations

from collections.abc import Sequence

from gdl.checker.domains import Domains
from gdl.language.rules import Condition, Rule


def never_fires(rules: Sequence[Rule], domains: Domains) -> bool:
    """Return True if none of a statement's flat rules can ever fire."""
    return all(domains.failures(rule) for rule in rules)


def dead_conditions(rule: Rule, rules: Sequence[Rule], domains: Domains) -> list[Condition]:
    """Return the conditions of a flat rule that none of its statement's rules that may fire has, in their order."""
    alive = [other for other in rules if not domains.failures(other)]
    places = {id(syntax) for other in alive for syntax in other.written}
    known = {condition for other in alive for condition in other.body}
    return [one for one in rule.body if one.syntax is not None and id(one.syntax) not in places and one not in known]
