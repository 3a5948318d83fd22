"""Tournaments: every player against every other, in every game, as often in one role as in another.

`plan` says which matches there are, `match_process` plays them in processes of their own, `pool` keeps these busy,
`store` keeps what came out in a file, `standings` adds it up, and `chart` draws it.
"""
