"""How typer parses and helps for us: it collects what is typed, and judges nothing."""

from collections.abc import Iterable, Mapping
from functools import partial
from typing import Any, ClassVar

from typer.core import TyperCommand, TyperGroup

from winnow.surfaces.cli.help import write_commands, write_examples, write_parameters


class Command(TyperCommand):
    """A command whose arguments are, for the parser, all optional; the operation knows better."""

    by_purpose: ClassVar[bool] = False

    def get_params(self, ctx: Any) -> list[Any]:
        """Return all parameters."""
        return take_as_typed(super().get_params(ctx))

    def collect_usage_pieces(self, ctx: Any) -> list[str]:
        """Return the usage: options, then the arguments as the operation takes them."""
        places = (one for one in self.get_params(ctx) if one.param_type_name == "argument")
        return [self.options_metavar or "", *(one.metavar or "" for one in places)]

    def format_options(self, ctx: Any, formatter: Any) -> None:
        """Write the arguments and options into the help."""
        write_parameters(self.get_params(ctx), formatter, by_purpose=self.by_purpose)

    def format_epilog(self, ctx: Any, formatter: Any) -> None:
        """Write the examples below the help."""
        if self.epilog:
            write_examples(self.epilog, formatter)


class Question(Command):
    """A command with conditions: so many options that the help puts them by their purpose."""

    by_purpose = True


class Group(TyperGroup):
    """A group of commands; alone it shows its help."""

    chapters: ClassVar[Mapping[str, tuple[str, ...]]] = {}

    def get_params(self, ctx: Any) -> list[Any]:
        """Return all parameters."""
        return take_as_typed(super().get_params(ctx))

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Parse the options before a command's name."""
        return super().parse_args(ctx, args or ["--help"])

    def format_options(self, ctx: Any, formatter: Any) -> None:
        """Write the commands, then the options, into the help."""
        write_commands(self.commands, formatter, self.chapters)
        write_parameters(self.get_params(ctx), formatter, by_purpose=False)

    def format_epilog(self, ctx: Any, formatter: Any) -> None:
        """Write the examples below the help."""
        if self.epilog:
            write_examples(self.epilog, formatter)


def take_as_typed(parameters: Iterable[Any]) -> list[Any]:
    """Let values be what was typed; typer would load pydantic to look at each, for a help too."""
    taken = list(parameters)
    for parameter in taken:
        vars(parameter)["process_value"] = partial(_process, parameter)
    return taken


def _process(parameter: Any, context: Any, value: object) -> object:
    return value if parameter.callback is None else parameter.callback(context, parameter, value)
