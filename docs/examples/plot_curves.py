"""Draw the learning curves that the other examples write.

    python docs/examples/plot_curves.py a.csv b.csv -o curves.svg

It needs `pip install 'ggp[training]'`.
"""

import argparse
import csv
from collections import defaultdict
from pathlib import Path

import matplotlib.pyplot as plt


def main() -> None:
    """Draw one picture with a panel for each file."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("curves", type=Path, nargs="+", metavar="CSV")
    parser.add_argument("-o", "--output", type=Path, required=True)
    options = parser.parse_args()
    plt.rcParams["svg.hashsalt"] = "curves"  # the same picture for the same curves
    columns = min(2, len(options.curves))
    rows = -(-len(options.curves) // columns)
    _, panels = plt.subplots(rows, columns, figsize=(4.5 * columns, 2.8 * rows), squeeze=False, sharey=True)
    for panel, path in zip(panels.flat, options.curves, strict=False):
        lines: defaultdict[str, list[tuple[float, float]]] = defaultdict(list)
        with path.open(newline="") as file:
            for row in csv.DictReader(file):
                lines[row["role"]].append((float(row["seconds"]), float(row["average_goal"])))
        for role, points in lines.items():
            panel.plot(*zip(*points, strict=True), label=role)
        panel.set(title=path.stem, xlabel="seconds", ylabel="average goal value", ylim=(40, 101))
        panel.grid(alpha=0.3)
        panel.legend(loc="lower right")
    plt.tight_layout()
    plt.savefig(options.output, metadata={"Date": None})


if __name__ == "__main__":
    main()
