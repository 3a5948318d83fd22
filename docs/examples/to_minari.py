"""Turn a data set of `ggp dataset` into one of Minari, from the view of one role.

    ggp dataset connect_four -o games.npz --games 1000
    python docs/examples/to_minari.py games.npz red connect_four/red-random-v0

It needs `pip install 'ggp[training]'`. An episode has the choices of the role in one match. Observations are facts,
and the last one of each episode, after the end of the match, has only zeros. `infos["action_mask"]` has the legal
actions.
"""

import argparse
import json

import minari
import numpy as np
from gymnasium.spaces import Discrete, MultiBinary
from minari.data_collector import EpisodeBuffer


def main() -> None:
    """Read a file, and write the data set to Minari's folder."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("file", help="a file of ggp dataset, NAME.npz")
    parser.add_argument("role", help="the role whose choices are wanted")
    parser.add_argument("name", help="the name of the data set, NAMESPACE/NAME-v0")
    options = parser.parse_args()
    with np.load(options.file) as file:
        columns = {name: file[name] for name in file.files}
    about = json.loads(columns.pop("about").item())
    facts, actions = len(about["observation"]), len(about["moves"])
    own = columns["role"] == about["roles"].index(options.role)
    columns = {name: column[own] for name, column in columns.items()}
    goals = columns["goals"][:, about["agents"].index(options.role)]
    observed = np.unpackbits(columns["observation"], axis=1, count=facts, bitorder="little").astype(np.int8)
    masks = np.unpackbits(columns["mask"], axis=1, count=actions, bitorder="little").astype(np.int8)
    starts = np.flatnonzero(np.diff(columns["match"], prepend=-1))
    episodes = []
    for number, (begin, end) in enumerate(zip(starts, [*starts[1:], len(goals)], strict=True)):
        steps, goal = end - begin, int(goals[begin])
        last = np.arange(1, steps + 1) == steps
        episodes.append(
            EpisodeBuffer(
                id=number,
                observations=np.concatenate([observed[begin:end], np.zeros((1, facts), np.int8)]),
                actions=columns["action"][begin:end].astype(np.int64),
                rewards=np.where(last, max(goal, 0) / 100, 0.0),
                terminations=last & (goal >= 0),
                truncations=last & (goal < 0),
                infos={"action_mask": np.concatenate([masks[begin:end], np.zeros((1, actions), np.int8)])},
            )
        )
    dataset = minari.create_dataset_from_buffers(
        options.name,
        episodes,
        observation_space=MultiBinary(facts),
        action_space=Discrete(actions),
        algorithm_name=", ".join(f"{role}: {player}" for role, player in about["players"].items()),
        description=f"{about['game']}, the role {options.role}; matches with the seed {about['seed']}",
    )
    print(f"{options.name}: {dataset.total_episodes} episodes, {dataset.total_steps} steps")


if __name__ == "__main__":
    main()
