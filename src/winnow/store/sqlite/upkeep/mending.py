"""Mending rows that don't fit together, in one transaction."""

from collections.abc import Collection

from winnow.store.sqlite.transaction import Transaction
from winnow.store.sqlite.upkeep.rules import RULES


def mend_rows(transaction: Transaction, codes: Collection[str]) -> None:
    """Carry out what the rules of these codes say, in their order."""
    for rule in RULES:
        for statement in rule.mend if rule.code in codes else ():
            values = (transaction.change,) if "?1" in statement else ()
            transaction.connection.execute(statement, values)
