"""The language: text to syntax tree, syntax tree to rules, rules to a rulesheet; edits and the formatter."""
