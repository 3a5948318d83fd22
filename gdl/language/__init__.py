"""The language: text to syntax tree, syntax tree to rules, rules to a rulesheet; also edits and the formatter."""
