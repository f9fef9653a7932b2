"""Ordering panels as a game over arrays: all cases of a split move at once, each until it names a condition."""

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np

from tirec.lacdm.menu import Menu
from tirec.lacdm.tabular.lab_cases import Flags, Floats, LabCases

Chooser = Callable[[np.ndarray, Flags, Flags], np.ndarray]
"""Actions (m,) of the cases (m,) with panels `seen` (m, P), out of the allowed (m, P + 1); P = name a condition."""


@dataclass
class Played:
    """What was played: one entry per move of all cases still in the game."""

    seen: Flags
    """(n, P) panels ordered in the end."""
    orders: list[list[int]]
    """Panels of each case, in order."""
    moves: list["Move"] = field(default_factory=list)


@dataclass(frozen=True)
class Move:
    """One simultaneous move."""

    cases: np.ndarray
    """(m,) rows of the cases that moved."""
    seen: Flags
    """(m, P) before the move."""
    allowed: Flags
    """(m, P + 1)."""
    action: np.ndarray
    cost: Floats
    """(m,) USD charged for it."""


class PanelGame:
    """Prices and rules of ordering panels, over the cases of one split."""

    def __init__(self, cases: LabCases, menu: Menu, *, charges_absent: bool, only_performed: bool) -> None:
        self.cases = cases
        self.menu = menu
        self._price = np.array([test.price for test in cases.panels])
        self._share = _overlap(cases, menu)
        self._charges_absent = charges_absent
        self._only_performed = only_performed

    def play(self, choose: Chooser) -> Played:
        """Plays every case to its end."""
        n, panels = self.cases.available.shape
        played = Played(np.zeros((n, panels), dtype=bool), [[] for _ in range(n)])
        running = np.arange(n)
        while len(running):
            move = self._move(played.seen[running], running, choose)
            played.moves.append(move)
            going = move.action < panels
            ordered = move.action[going]
            running = running[going]
            played.seen[running, ordered] = True
            for case, panel in zip(running.tolist(), ordered.tolist(), strict=True):
                played.orders[case].append(panel)
        return played

    def _move(self, seen: Flags, cases: np.ndarray, choose: Chooser) -> Move:
        allowed = np.column_stack([~seen, np.ones(len(cases), dtype=bool)])
        if self._only_performed:
            allowed[:, :-1] &= self.cases.available[cases]
        action = choose(cases, seen, allowed)
        return Move(cases, seen.copy(), allowed, action, self._cost(seen, cases, action))

    def _cost(self, seen: Flags, cases: np.ndarray, action: np.ndarray) -> Floats:
        """USD of each action; nothing for naming a condition, nor for a panel that was not performed (if so free)."""
        orders = action < len(self._price)
        panel = np.where(orders, action, 0)
        answered = seen & self.cases.available[cases]
        fresh = self._share(answered, panel)
        performed = self.cases.available[cases, panel] | self._charges_absent
        return np.where(orders & performed, self._price[panel] * fresh, 0.0)


def _overlap(cases: LabCases, menu: Menu) -> Callable[[Flags, np.ndarray], Floats]:
    """The share of a panel's price that is due given the panels already answered, as the menu charges it."""
    names = [test.name for test in cases.panels]
    full = np.array([test.price or 1.0 for test in cases.panels])

    def share(answered: Flags, panel: np.ndarray) -> Floats:
        patterns, inverse = np.unique(np.column_stack([answered, panel]), axis=0, return_inverse=True)
        due = [
            menu.charge(cases.panels[int(row[-1])], [name for name, known in zip(names, row, strict=False) if known])
            for row in patterns
        ]
        return (np.array(due) / full[patterns[:, -1].astype(int)])[inverse.ravel()]

    return share
