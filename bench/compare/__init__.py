"""Winnow beside what a user would pick instead: the same vectors, filters and queries in one run.

`python bench/compare/run.py --records 100000` is the one command; README.md beside this tells more.
"""
