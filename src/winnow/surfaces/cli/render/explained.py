"""An explanation for people: a tree of the filter's parts, each with its truth and evidence."""

from rich.text import Text
from rich.tree import Tree

from winnow.operations.answers import ExplainAnswer, ExplainedPart
from winnow.surfaces.cli.page import Page, Symbols, level, styled
from winnow.surfaces.cli.render.parts import evidence, write_warnings

STYLES = {"true": "green", "false": "red", "unknown": "yellow"}


def write_explanation(answer: ExplainAnswer, page: Page) -> None:
    """Write why an entity is in an answer or not."""
    verdict = "matches" if answer.matched else "does not match"
    open_ = " (undetermined)" if answer.undetermined else ""
    asked = f" {answer.where}" if answer.where else " everything"
    page.line(
        styled(answer.entity_id, "bold"),
        styled(f" {verdict}{open_}", "green" if answer.matched else "red"),
        asked,
    )
    if answer.where:
        page.console.print(_tree(answer.explanation, page.symbols))
    write_warnings(answer.warnings, page)


def _tree(part: ExplainedPart, symbols: Symbols) -> Tree:
    tree = Tree(_label(part, symbols), guide_style="dim")
    for inner in part.parts or ():
        tree.children.append(_tree(inner, symbols))
    return tree


def _label(part: ExplainedPart, symbols: Symbols) -> Text:
    sign = styled(getattr(symbols, part.truth), STYLES[part.truth])
    if part.kind != "test":
        return Text.assemble(sign, " ", styled(part.kind, "dim"))
    pieces = [
        styled(part.text, ""),
        level(part.confidence),
        styled(part.reason or "", "yellow"),
        evidence(part.evidence),
    ]
    return Text.assemble(sign, " ", Text("  ").join(piece for piece in pieces if piece))
