"""Check and fix rule files as a whole: the `ggp check` and `ggp fix` commands.

- `options`: the options of a check; `verdict`: the result for a property; `report`: the findings in a file
- `formats`: reports as text, JSON, GitHub annotations and SARIF
- `mending`: the fixes of a file, one after another
- `playing`: random playouts; `structure`: facts about turns and cells
- `bounded`: searches for moves that lead to a state; `termination`: proofs that every match ends
- `exploring`: all states of small games, and very many playouts of others
- `proofs`: properties of all states, proved or refuted; `simulation`: all properties of a game
"""

from ggp.rules.checking.formats import FORMATS, written
from ggp.rules.checking.options import Options, Simulation
from ggp.rules.checking.report import FileReport, check_source

__all__ = ["FORMATS", "FileReport", "Options", "Simulation", "check_source", "written"]
