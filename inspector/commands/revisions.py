"""Commands on revisions: history, diff, restore, revert, reset."""

from __future__ import annotations

import sys

import click

from inspector.commands.common import Output, memory_options
from inspector.commands.rendering import change_lines
from memory_core.errors import InputError
from memory_core.storage.history import Revision


@click.command("history")
@memory_options
def history_command(output: Output) -> int:
    """Every revision: what, when, why, by which delta."""
    manager = output.manager()
    revisions = manager.history()
    broken = manager.store.history.verify()
    lines = [
        f"{revision.seq:>5}  {revision.at}  {revision.cause:<8} {revision.summary}"
        + (f"  ({revision.delta_id})" if revision.delta_id else "")
        + ("  ! its hash does not fit" if revision.seq in broken else "")
        for revision in revisions
    ]
    output.data(
        [_listed(revision) for revision in revisions],
        lines or ["No revisions yet: nothing has been applied, reset or restored."],
    )
    return 1 if broken else 0


def _listed(revision: Revision) -> dict[str, object]:
    """What `history --json` gives of a revision."""
    names = ("seq", "at", "cause", "summary", "delta_id", "decisions", "sha256", "previous", "size", "kept")
    return {name: getattr(revision, name) for name in names}


@click.command("diff")
@click.argument("a", required=False)
@click.argument("b", required=False)
@memory_options
def diff_command(output: Output, a: str | None, b: str | None) -> int:
    """Compare two documents, item by item and field by field.

    A and B are revision numbers, current, pending:ID or empty. Default: the newest revision with the current file;
    with A alone: A with the current file.
    """
    result = output.manager().diff(a, b if b is not None or a is None else "current")
    output.data(
        {"a": result.a, "b": result.b, "changes": result.changes},
        [f"{result.a} → {result.b}", *change_lines(result.changes)],
    )
    return 0


@click.command("restore")
@click.argument("seq", type=int)
@memory_options
def restore_command(output: Output, seq: int) -> int:
    """Make a revision the document again, byte for byte; that is a revision too."""
    result = output.manager().restore(seq)
    output.data(result, [f"revision {result.revision}" if result.revision else "The document is so already."])
    return 0


@click.command("revert")
@click.argument("seq", type=int)
@click.option("--dry-run", is_flag=True, help="Show what it would change, write nothing.")
@memory_options
def revert_command(output: Output, seq: int, dry_run: bool) -> int:
    """Take one revision alone back; what has changed since stays and is named."""
    manager = output.manager()
    preview = manager.preview_revert(seq)
    conflicts = [f"stays, it changed since: {place}" for place in preview.conflicts]
    if dry_run:
        value = {"changes": preview.changes, "conflicts": preview.conflicts, "base": preview.base}
        output.data(value, [*change_lines(preview.changes), *conflicts])
    else:
        result = manager.revert(seq, base=preview.base)
        output.data(
            {"revision": result.revision, "conflicts": preview.conflicts},
            [
                *change_lines(preview.changes),
                *conflicts,
                f"revision {result.revision}" if result.revision else "nothing to do",
            ],
        )
    return 1 if preview.conflicts else 0


@click.command("reset")
@click.option("--purge", is_flag=True, help="Also remove history and backups; leaves no undo.")
@click.option("--yes", is_flag=True, help="Do not ask.")
@memory_options
def reset_command(output: Output, purge: bool, yes: bool) -> int:
    """Clear memory: says what it will remove, asks, does it."""
    manager = output.manager()
    preview = manager.preview_reset()
    output.say(
        f"This removes {preview.turns} turns, {preview.topics} topics, {preview.items} long-term items"
        f" and {preview.pending} pending deltas of {output.root}."
    )
    if purge:
        output.say(
            f"It also removes {preview.revisions} revisions and {len(preview.backups)} backups. There is NO undo."
        )
    else:
        output.say("An undo point stays in the history; restore brings it back.")
    if not yes:
        if not sys.stdin.isatty():
            raise InputError("reset asks first and needs a terminal.", hint="Say --yes where nobody can answer.")
        if not click.confirm("Do it?", default=False, err=True):
            output.say("Nothing was removed.")
            return 0
    result = manager.reset(purge=purge)
    output.data(
        result,
        [f"removed {what}" for what in result.removed]
        + [
            f"undo point: revision {result.revision}" if result.revision else "no undo point",
            f"generation {result.generation}",
        ],
    )
    return 0
