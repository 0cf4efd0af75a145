"""A package that can't be imported."""

raise ZeroDivisionError("this machine")
