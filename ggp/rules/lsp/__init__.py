"""A language server for rule files, run by `ggp lsp`. Only `server` knows the protocol.

- `names`: every name in a text, and which names are the same
- `document`: a text that is open in an editor, and the information about each position
- `comments`: the comments that explain names; `keywords`: the meaning of the words of the language
- `counts`: the numbers of instances of relations
- `hover`, `completion`, `renaming`, `symbols`: the answers to an editor's requests
- `server`: the protocol, implemented with pygls
"""
