"""`ggp check` and `ggp fix`: rule files looked at as a whole, and mended.

- `options`: what somebody wants to know; `verdict`: what became of a property; `report`: what was found in a file
- `formats`: reports as text, JSON, GitHub annotations and SARIF
- `mending`: the fixes of a file, one after another
- `playing`: random playouts; `structure`: whose turn it is, and what is in each cell
- `bounded`: searches for moves that lead to a state; `termination`: proofs that every match ends
- `proofs`: what is proved of all states or refuted; `simulation`: all properties of a game
"""

from ggp.rules.checking.formats import FORMATS, written
from ggp.rules.checking.options import Options, Simulation
from ggp.rules.checking.report import FileReport, check_source

__all__ = ["FORMATS", "FileReport", "Options", "Simulation", "check_source", "written"]
