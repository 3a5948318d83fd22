"""A language server for rule files: what `ggp lsp` runs. Modules but `server` know nothing of the protocol.

- `names`: every name in a text, and which are the same
- `document`: a text that is open in an editor, and what can be said of a place in it
- `comments`: what comments say of names; `keywords`: what the words of the language mean
- `counts`: how many instances relations have
- `hover`, `completion`, `renaming`, `symbols`: the answers to an editor's questions
- `server`: the protocol, by pygls
"""
