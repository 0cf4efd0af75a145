"""`winnow demo`: a small law firm's notes, one question, and its exact answer."""

from winnow.demo.show import run_demo

__all__ = ["run_demo"]
