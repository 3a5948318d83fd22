"""Any rule file as a game of OpenSpiel (Lanctot et al. 2019, arXiv:1908.09453; PyPI `open_spiel`, module `pyspiel`).

    from ggp.environments import openspiel
    game = openspiel.load("my_game.kif")            # or pyspiel.load_game("ggp", {"rules": "my_game.kif"})

Importing this package registers the game `ggp` with OpenSpiel. It raises MissingOpenSpielError without OpenSpiel.
"""

from ggp.environments.openspiel.game import GgpGame, load

__all__ = ["GgpGame", "load"]
