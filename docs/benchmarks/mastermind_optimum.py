"""Find the smallest expected number of guesses in Mastermind, by going through all ways to guess.

    python docs/benchmarks/mastermind_optimum.py
    python docs/benchmarks/mastermind_optimum.py --pegs 2 --colours 6

The code is uniformly random. What is known is the set of codes that agree with all answers. The best expected number of
guesses from there on depends on this set alone, and is found by dynamic programming. A guess need not be one of the
codes that are left. The default is the size of the shipped game `mastermind`, where the optimum is also that of the
expected goal: nobody who plays so needs more than the six guesses that the game allows.
"""

from __future__ import annotations

import argparse
from collections import Counter
from functools import cache
from itertools import product

Code = tuple[int, ...]


def answer(guess: Code, code: Code) -> tuple[int, int]:
    """Return how many pegs have the right colour in the right place, and how many more one in another place."""
    right = sum(a == b for a, b in zip(guess, code, strict=True))
    return right, sum((Counter(guess) & Counter(code)).values()) - right


def fewest_guesses(pegs: int, colours: int) -> tuple[int, int]:
    """Return the smallest sum over all codes of the guesses that each one takes, and the most that any then takes.

    Of all ways with the smallest sum, one is taken that was found first; another one may take fewer at most.
    """
    codes = list(product(range(colours), repeat=pegs))
    answers = [[answer(guess, code) for code in codes] for guess in codes]
    solved = (pegs, 0)

    @cache
    def best(left: tuple[int, ...]) -> tuple[int, int]:
        count = len(left)
        if count <= 2:
            return (count * (count + 1) // 2, count)
        ways = []
        for guess in range(len(codes)):
            parts: dict[tuple[int, int], list[int]] = {}
            for code in left:
                parts.setdefault(answers[guess][code], []).append(code)
            if len(parts) > 1:  # else the guess tells nothing
                # One code is found at once if it is the guess; each other one takes at least one guess more, and only
                # one in each part that is left takes no further one.
                others = [part for right, part in parts.items() if right != solved]
                ways.append((count + sum(2 * len(part) - 1 for part in others), others))
        found = (count * (count + 1), 0)
        for least, others in sorted(ways, key=lambda way: way[0]):
            if least >= found[0]:
                break
            total, longest = count, 0
            for part in others:
                more, depth = best(tuple(part))
                total, longest = total + more, max(longest, depth)
                if total >= found[0]:
                    break
            else:
                found = min(found, (total, longest + 1))
        return found

    return best(tuple(range(len(codes))))


def main() -> None:
    """Print the optimum."""
    parser = argparse.ArgumentParser(description="Find the smallest expected number of guesses in Mastermind.")
    parser.add_argument("--pegs", type=int, default=3)
    parser.add_argument("--colours", type=int, default=4)
    arguments = parser.parse_args()
    total, most = fewest_guesses(arguments.pegs, arguments.colours)
    codes = arguments.colours**arguments.pegs
    print(f"{total} guesses for {codes} codes: {total / codes:.4f} on average, at most {most}")


if __name__ == "__main__":
    main()
