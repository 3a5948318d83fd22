"""The language: text to syntax tree, syntax tree to rules, rules to a rulesheet without mistakes; edits and one layout."""
