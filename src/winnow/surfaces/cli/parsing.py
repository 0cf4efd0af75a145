"""How typer parses for us: it collects what is typed, and judges nothing."""

from collections.abc import Iterable
from functools import partial
from typing import Any

from typer.core import TyperCommand


class Command(TyperCommand):
    """A command whose arguments are, for the parser, all optional; the operation knows better."""

    def get_params(self, ctx: Any) -> list[Any]:
        """Return all parameters."""
        return take_as_typed(super().get_params(ctx))

    def collect_usage_pieces(self, ctx: Any) -> list[str]:
        """Return the usage: options, then the arguments as the operation takes them."""
        places = (one for one in self.get_params(ctx) if one.param_type_name == "argument")
        return [self.options_metavar or "", *(one.metavar or "" for one in places)]


def take_as_typed(parameters: Iterable[Any]) -> list[Any]:
    """Let values be what was typed; typer would load pydantic to look at each, for a help too."""
    taken = list(parameters)
    for parameter in taken:
        vars(parameter)["process_value"] = partial(_process, parameter)
    return taken


def _process(parameter: Any, context: Any, value: object) -> object:
    return value if parameter.callback is None else parameter.callback(context, parameter, value)
