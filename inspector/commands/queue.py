"""Commands on the queue: pending, review, approve, dismiss."""

from __future__ import annotations

import sys

import click

from inspector.commands.common import Output, memory_options
from inspector.commands.rendering import outcome_status, pending_line, review_lines, verdict_lines
from memory_core.errors import ChangedError, InputError
from memory_core.results import ApproveResult, PendingView
from memory_core.review.verdict import Decision, Review


@click.group("pending", invoke_without_command=True)
@memory_options
def pending_command(output: Output) -> int:
    """The queue of deltas that wait; `pending show ID` judges one against the document of now."""
    context = click.get_current_context()
    context.obj = output
    if context.invoked_subcommand is not None:
        return 0
    views = output.manager().pending()
    output.data([_listed(view) for view in views], [pending_line(view) for view in views] or ["Nothing waits."])
    return 0


def _listed(view: PendingView) -> dict[str, object]:
    entry = view.entry
    return {
        "id": entry.id,
        "created_at": entry.created_at,
        "trigger": entry.trigger,
        "model": entry.model,
        "origin": entry.origin,
        "refused": entry.refused,
        "count": entry.count,
        "superseded": view.superseded,
        "counts": view.review.counts(),
        "delta": view.review.delta,
        "decisions": view.decisions,
    }


@pending_command.command("show")
@click.argument("delta_id", metavar="ID")
@memory_options
def pending_show(output: Output, delta_id: str) -> int:
    """One queued delta, judged against the document of now."""
    view = output.manager().review(delta_id)
    output.data(view.review, [pending_line(view), *review_lines(view.review)])
    return outcome_status(view.review)


@click.command("approve")
@click.argument("delta_id", metavar="ID")
@click.option("--accept", multiple=True, metavar="AT", help="Accept a held operation, by its place.")
@click.option("--reject", multiple=True, metavar="AT", help="Turn an operation down, by its place.")
@click.option("--note", default="", metavar="TEXT", help="Kept with each decision.")
@click.option("--base", metavar="HASH", help="Refuse where the document's hash is another one.")
@memory_options
def approve_command(
    output: Output, delta_id: str, accept: tuple[str, ...], reject: tuple[str, ...], note: str, base: str | None
) -> int:
    """Apply a queued delta; held operations need --accept, undecided ones go on waiting."""
    if both := set(accept) & set(reject):
        raise InputError(f"{', '.join(sorted(both))} is both accepted and turned down.")
    decisions: dict[str, Decision] = dict.fromkeys(accept, "accept")
    decisions |= dict.fromkeys(reject, "turn_down")
    manager = output.manager()
    result = manager.approve(delta_id, decisions, base, notes=dict.fromkeys(decisions, note) if note else None)
    return _approved(output, result)


def _approved(output: Output, result: ApproveResult) -> int:
    lines = [f"applied     {at}" for at in result.applied]
    lines += [f"turned down {at}" for at in result.turned_down]
    lines += [f"rejected    {at}" for at in result.rejected]
    lines += [f"waiting     {at}" for at in result.waiting]
    lines += [f"dropped for {trimmed.reason}: {trimmed.what} {trimmed.id}" for trimmed in result.trimmed]
    lines.append(f"revision {result.revision}" if result.revision is not None else "nothing was written")
    output.data(result, lines)
    return 1 if result.waiting or result.rejected else 0


@click.command("dismiss")
@click.argument("delta_id", metavar="ID")
@click.option("--note", default="", metavar="TEXT", help="Kept with the record.")
@memory_options
def dismiss_command(output: Output, delta_id: str, note: str) -> int:
    """Drop a queued delta, with a record."""
    dismissed = output.manager().dismiss(delta_id, note=note)
    output.data({"dismissed": dismissed}, [f"{dismissed} dismissed"])
    return 0


@click.command("review")
@click.argument("delta_id", metavar="ID")
@memory_options
def review_command(output: Output, delta_id: str) -> int:
    """Decide operation by operation on a plain terminal, then apply."""
    if not sys.stdin.isatty():
        raise InputError("review asks questions and needs a terminal.", hint="Use approve with --accept and --reject.")
    manager = output.manager()
    view = manager.review(delta_id)
    if view.review.reason is not None:
        output.data(view.review, review_lines(view.review))
        return 1
    decisions, notes = dict(view.decisions), dict(view.notes)
    index = 0
    while index < len(view.review.operations):
        verdict = view.review.operations[index]
        for line in verdict_lines(verdict, index + 1):
            output.say(line)
        answer = _ask(output, verdict.verdict)
        if answer == "back":
            index = max(0, index - 1)
            continue
        if answer == "quit":
            output.say("Left; what you decided is kept as a draft.")
            return 0
        if answer == "undecided":
            decisions.pop(verdict.at, None)
        elif answer in {"accept", "turn_down"} and verdict.verdict != "rejected":
            decisions[verdict.at] = "accept" if answer == "accept" else "turn_down"
            if answer == "turn_down" and (note := click.prompt("note", default="", show_default=False, err=True)):
                notes[verdict.at] = note
        if decisions != view.decisions or notes != view.notes:
            manager.save_draft(delta_id, decisions, notes)
        view = manager.review(delta_id, decisions)
        index += 1
    return _finish(output, delta_id, view.review, decisions, notes)


def _ask(output: Output, verdict: str) -> str:
    """One question; the program's word decides what an empty answer means."""
    if verdict == "rejected":
        question, allowed = "rejected, cannot be forced; enter goes on (b back, q leave)", "bq"
    elif verdict == "held":
        question, allowed = "accept it? y accept, n turn down, enter leaves it waiting (b back, q leave)", "ynbq"
    else:
        question, allowed = "it will be applied; n turns it down, enter goes on (b back, q leave)", "ynbq"
    while True:
        answer = click.prompt(question, default="", show_default=False, err=True).strip().lower()[:1]
        if answer == "" or answer in allowed:
            return {"y": "accept", "n": "turn_down", "b": "back", "q": "quit", "": "keep"}[answer]
        output.say("Please answer with one of the letters named.")


def _finish(
    output: Output, delta_id: str, review: Review, decisions: dict[str, Decision], notes: dict[str, str]
) -> int:
    for line in review_lines(review):
        output.say(line)
    if not click.confirm("Apply this now?", default=False, err=True):
        output.say("Nothing was written; what you decided is kept as a draft.")
        return 0
    manager = output.manager()
    try:
        result = manager.approve(delta_id, decisions, seen=review, notes=notes)
    except ChangedError as changed:
        output.say(changed.message)
        if isinstance(changed.review, Review):
            for line in review_lines(changed.review):
                output.say(line)
        raise
    return _approved(output, result)
