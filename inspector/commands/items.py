"""Commands on long-term items: activate, deactivate, forget."""

from __future__ import annotations

import click

from inspector.commands.common import Output, memory_options
from memory_core.document import ItemStatus
from memory_core.results import ItemResult


@click.group("item")
def item_command() -> None:
    """The three things that a person may do to a long-term item."""


def _set(output: Output, item_id: str, status: ItemStatus) -> int:
    result = output.manager().set_status(item_id, status)
    return _done(output, result, f"{item_id} is {status}")


def _done(output: Output, result: ItemResult, what: str) -> int:
    lines = [what, f"revision {result.revision}" if result.revision is not None else "it was so already"]
    lines += [f"its text still stands in {place}" for place in result.elsewhere]
    output.data(result, lines)
    return 0


@item_command.command("activate")
@click.argument("item_id", metavar="ID")
@memory_options
def activate(output: Output, item_id: str) -> int:
    """Let an item take part again."""
    return _set(output, item_id, "active")


@item_command.command("deactivate")
@click.argument("item_id", metavar="ID")
@memory_options
def deactivate(output: Output, item_id: str) -> int:
    """Keep an item, but out of every prompt."""
    return _set(output, item_id, "inactive")


@item_command.command("forget")
@click.argument("item_id", metavar="ID")
@click.option("--everywhere", is_flag=True, help="Out of history, queue and backups too; leaves no undo for it.")
@memory_options
def forget(output: Output, item_id: str, everywhere: bool) -> int:
    """Take an item out of memory; says where its text still stands."""
    result = output.manager().forget(item_id, everywhere=everywhere)
    return _done(output, result, f"{item_id} is forgotten")
