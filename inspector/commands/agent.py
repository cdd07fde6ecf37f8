"""Commands that do what an agent does: record a turn, summarise."""

from __future__ import annotations

import dataclasses

import click

from inspector.commands.common import Output, memory_options, once_from_stdin, read_argument, read_input
from inspector.commands.rendering import outcome_status, review_lines
from memory_core.errors import InputError
from memory_core.intents import IntentType, parse_intent
from memory_core.results import SummaryResult
from memory_core.summary.backends.choose import MODELS, named


@click.command("record")
@click.option("--intent", required=True, metavar="I", help="One of: " + ", ".join(IntentType) + ".")
@click.option("--user", required=True, metavar="TEXT", help="What the user asked; @file and - read it.")
@click.option("--assistant", required=True, metavar="TEXT", help="What was answered; @file and - read it.")
@click.option("--scope", multiple=True, metavar="PATH", help="A path that the question was about; may repeat.")
@memory_options
def record_command(output: Output, intent: str, user: str, assistant: str, scope: tuple[str, ...]) -> int:
    """Record a turn as an agent would; a summary that is due runs before the command ends."""
    if parse_intent(intent) is None:
        raise InputError(f"There is no intent {intent}.", hint="Intents: " + ", ".join(IntentType) + ".")
    once_from_stdin(user, assistant)
    user_text, assistant_text = read_argument(user), read_argument(assistant)
    with output.manager() as manager:
        result = manager.record_turn(intent, user_text=user_text, assistant_text=assistant_text, scope_paths=scope)
        manager.wait(None)
        summary = manager.last_summary
    value = {field.name: getattr(result, field.name) for field in dataclasses.fields(result)} | {"summary": summary}
    lines = [f"recorded {result.turn_id}" if result.recorded else f"not recorded: {result.reason}"]
    lines += [f"dropped for {trimmed.reason}: {trimmed.what} {trimmed.id}" for trimmed in result.trimmed]
    if result.trigger:
        lines.append(f"a summary was due: {result.trigger}")
    lines += _summary_lines(summary) if summary else []
    output.data(value, lines)
    if not result.recorded:
        return 0 if result.reason == "intent_not_remembered" else 3
    return _status(summary) if summary else 0


@click.command("summarize")
@click.option("--model", metavar="MODEL", help="One of: " + ", ".join(MODELS) + ". Default: as configured.")
@click.option("--dry-run", is_flag=True, help="Ask the model and judge its reply; keep nothing.")
@memory_options
def summarize_command(output: Output, model: str | None, dry_run: bool) -> int:
    """One summary now. Without an endpoint the built-in extractive summariser answers, which uses no model."""
    manager = output.manager()
    summarizer = named(model, manager.configuration, read_input) if model else manager.summarizer
    output.say(f"asking {summarizer.name}")
    result = manager.summarize(asked_by="person", summarizer=summarizer, dry_run=dry_run)
    output.data(result, _summary_lines(result))
    return _status(result)


def _summary_lines(result: SummaryResult) -> list[str]:
    lines = [f"summary by {result.model}: {result.status.replace('_', ' ')}"]
    if result.url:
        lines.append(f"called {result.url}")
    if result.delta_id:
        lines.append(f"{result.delta_id} waits for a decision")
    if result.review is not None:
        lines += review_lines(result.review)
    elif result.reason is not None:
        lines.append(f"{result.reason.message}  [{result.reason.code}]")
        lines += [f"  {result.reason.hint}"] if result.reason.hint else []
    return lines


def _status(result: SummaryResult) -> int:
    if result.status in {"failed", "refused"}:
        return 1
    if result.status == "discarded":
        return 3
    return outcome_status(result.review) if result.review is not None else 0
