"""Commands that look: show, check, context, profile."""

from __future__ import annotations

from collections.abc import Iterator

import click

from inspector.commands.common import Output, memory_options
from inspector.display import safe
from memory_core.codec import LoadResult
from memory_core.document import MemoryDocument
from memory_core.errors import InputError
from memory_core.intents import IntentType, parse_intent


def load_lines(loaded: LoadResult) -> Iterator[str]:
    """What reading the file found, for a person."""
    if loaded.status not in {"ok", "absent"}:
        yield f"memory.json: {loaded.status.replace('_', ' ')}"
    for problem in loaded.problems:
        yield f"  {problem.severity:<7} {problem.at}: {problem.message}"


def document_lines(document: MemoryDocument) -> Iterator[str]:
    """The document, for a person."""
    profile = document.repo_profile
    yield "Profile"
    for name in ("build_tool", "java_version", "project_name"):
        yield f"  {name.replace('_', ' '):<13} {getattr(profile, name) or '–'}"
    for name in ("modules", "frameworks", "source_files"):
        yield f"  {name.replace('_', ' '):<13} {', '.join(getattr(profile, name)) or '–'}"
    yield ""
    yield f"Recent turns ({len(document.turns)})"
    for turn in reversed(document.turns):
        yield f"  {turn.id}  {turn.created_at}  {turn.intent}  {turn.summary_status}"
        yield f"    user     {turn.user_text}"
        if turn.summary:
            yield f"    summary  {turn.summary}"
    yield ""
    yield f"Active topics ({len(document.topics)})"
    for topic in document.topics:
        yield f"  {topic.id}  {topic.label}"
        yield f"    {topic.summary}"
    for title, items in (("Durable preferences", document.preferences), ("Project notes", document.notes)):
        yield ""
        yield f"{title} ({len(items)})"
        for item in items:
            inactive = "" if item.is_active else "  (inactive)"
            yield f"  {item.id}  {item.label}{inactive}"
            yield f"    {item.summary}"


@click.command("show")
@memory_options
def show_command(output: Output) -> int:
    """The document: profile, turns, topics, preferences, notes."""
    manager = output.manager()
    loaded = manager.load()
    document, size = loaded.document, loaded.bytes
    pending = len(manager.store.pending.ids())
    value = {
        "document": document,
        "load": {"status": loaded.status, "problems": loaded.problems},
        "bytes": size,
        "counts": {
            "recent_turns": len(document.turns),
            "pending_turns": sum(turn.is_pending for turn in document.turns),
            "active_topics": len(document.topics),
            "durable_preferences": len(document.preferences),
            "project_notes": len(document.notes),
        },
        "pending": pending,
        "generation": manager.store.generation(),
    }
    lines = [
        f"{output.root.name}  {size.size} bytes of {size.soft} (hard {size.hard}), {pending} pending",
        *load_lines(loaded),
        "",
        *document_lines(document),
    ]
    output.data(value, lines)
    return 1 if any(problem.severity == "error" for problem in loaded.problems) else 0


@click.command("check")
@memory_options
def check_command(output: Output) -> int:
    """Everything wrong or doubtful with the file and with what it stores."""
    from memory_core.review.check import check

    manager = output.manager()
    loaded = manager.load()
    problems = (*loaded.problems, *check(loaded.document, manager.policy))
    output.data(
        {"status": loaded.status, "problems": problems},
        [f"{problem.severity:<7} {problem.at}: {problem.message}  [{problem.code}]" for problem in problems]
        or [f"memory.json: {loaded.status}, nothing to object."],
    )
    return 1 if any(problem.severity != "note" for problem in problems) else 0


@click.command("context")
@click.option("--intent", required=True, help="One of: " + ", ".join(IntentType) + ".")
@click.option("--question", default="", metavar="TEXT", help="The question that is about to be asked.")
@click.option("--explain", is_flag=True, help="Also say of every item whether it is in, and why.")
@memory_options
def context_command(output: Output, intent: str, question: str, explain: bool) -> int:
    """What the next prompt would carry."""
    if parse_intent(intent) is None:
        raise InputError(f"There is no intent {intent}.", hint="Intents: " + ", ".join(IntentType) + ".")
    context = output.manager().context(intent, question)
    lines = context.text.splitlines() or [
        f"(empty: {intent} does not read memory)" if not context.allowed else "(empty)"
    ]
    if explain:
        lines.append("")
        lines.append(f"{context.characters} characters, about {context.tokens_estimate} tokens (estimated)")
        for item in context.items:
            place = f"in at {item.position}" if item.injected else "out"
            lines.append(f"  {place:<9} {item.section:<20} {item.id}  {item.reason}")
    output.data(context, lines)
    return 0


@click.command("profile")
@click.option("--write", is_flag=True, help="Store it, as a revision of its own.")
@memory_options
def profile_command(output: Output, write: bool) -> int:
    """The repo profile as the build files state it."""
    result = output.manager().collect_profile(write=write)
    value = {
        **result.profile.model_dump(mode="json"),
        "stated_by": result.stated_by,
        "notes": result.notes,
        "changes": result.changes,
        "revision": result.revision,
    }
    lines = []
    for name, held in result.profile:
        shown = ", ".join(held) if isinstance(held, tuple) else held
        places = ", ".join(
            f"{source.file}:{source.line}" if source.line else source.file for source in result.stated_by.get(name, ())
        )
        lines.append(f"{name.replace('_', ' '):<13} {shown or '–'}" + (f"   ({places})" if places else ""))
    lines += [
        f"note: {note.message}" + (f" ({note.file}{f':{note.line}' if note.line else ''})" if note.file else "")
        for note in result.notes
    ]
    if result.changes:
        lines += ["", "differs from what is stored:"]
        lines += [f"  {change.at}: {safe(str(change.before))} → {safe(str(change.after))}" for change in result.changes]
        lines.append("written" if write else "not written; --write stores it")
    output.data(value, lines)
    return 0
