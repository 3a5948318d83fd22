"""Learning what positions are worth, by self-play, and keeping it in files.

- `trainer`: rounds of games against itself and against earlier selves, and learning from them
- `method`: what differs between kinds of games; `duels` and `roles` are the two methods
- `role_games`, `joint_choice`: games of any number of roles, side by side
- `checkpoint`: the state of training in files, so that it can go on after any interruption
- `measuring`: scores against an earlier self and against `auto`
- `value_parts`: what each fact adds to a learned value
- `train`: a whole training, with its files and its reports
"""
