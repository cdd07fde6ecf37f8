"""Commands that judge replies: plan (writes nothing, ever) and propose (into the queue)."""

from __future__ import annotations

import json
from datetime import datetime

import click

from inspector.commands.common import Output, memory_options, once_from_stdin, read_input
from inspector.commands.rendering import outcome_status, review_lines
from memory_core.clock import has_offset, iso, merge_marks, parse_time
from memory_core.codec import LoadResult, decode
from memory_core.delta import MemoryDeltaParser
from memory_core.document import MemoryDocument, marks_of
from memory_core.errors import InputError
from memory_core.policy import Policy
from memory_core.review.applier import MemoryDeltaApplier, pending_batch
from memory_core.review.verdict import JudgeContext, Review
from memory_core.safety.secrets import mask_secrets
from memory_core.summary.prompt import PLACEHOLDERS


@click.command("plan")
@click.argument("files", nargs=-1, required=True, metavar="FILE|-...")
@click.option("--memory", metavar="FILE", help="Judge against this document instead of the repository's.")
@click.option("--policy", "policy_file", metavar="FILE", help="Judge under this policy; it counts as your own.")
@click.option("--now", metavar="T", help="Time of the proposal, ISO 8601. Default: when the document was updated.")
@click.option("--finish-reason", metavar="R", help="What the endpoint gave as finish_reason, such as length.")
@memory_options
def plan_command(
    output: Output,
    files: tuple[str, ...],
    memory: str | None,
    policy_file: str | None,
    now: str | None,
    finish_reason: str | None,
) -> int:
    """Judge model replies against the document; writes nothing, and the same input gives the same bytes.

    Several files, or a .jsonl file with one reply a line, give a list.
    """
    once_from_stdin(*files, memory)
    manager = output.manager(policy_file)
    policy = manager.policy
    loaded = _load(memory, policy, _time(now)) if memory else manager.load()
    if loaded.status not in {"ok", "absent"}:
        raise InputError(f"{memory or 'memory.json'}: {loaded.problems[0].message}", hint="Give a version 1 document.")
    for problem in loaded.problems:
        output.say(f"{problem.severity} {problem.at}: {problem.message}")
    marks = {} if memory else manager.store.marks()
    context = JudgeContext(
        proposed_at=iso(_time(now) or _updated(loaded.document)),
        batch=pending_batch(loaded.document),
        placeholders=PLACEHOLDERS,
        turned_down=() if memory else manager.store.turned_down(),
        marks=merge_marks(marks_of(loaded.document), marks),
    )
    replies = [reply for name in files for reply in _replies(name, finish_reason)]
    reviews = [_judge(loaded, data, reason, policy, context) for data, reason in replies]
    if len(reviews) == 1 and not files[0].endswith(".jsonl"):
        output.data(reviews[0], review_lines(reviews[0]))
    else:
        lines = [
            line for number, review in enumerate(reviews, 1) for line in (f"reply {number}", *review_lines(review))
        ]
        output.data(reviews, lines)
    return max(map(outcome_status, reviews), default=0)


def _judge(
    loaded: LoadResult, data: bytes | str, finish_reason: str | None, policy: Policy, context: JudgeContext
) -> Review:
    text = data.decode("utf-8", errors="replace") if isinstance(data, bytes) else data
    if policy.mask_secrets and (masked := mask_secrets(text)) != text:
        data = masked  # a secret is shown nowhere, and what stands for it is judged as one
    parsed = MemoryDeltaParser.parse(data, finish_reason=finish_reason)
    return MemoryDeltaApplier.judge_reply(loaded.document, parsed, policy, context, base=loaded.sha256)


def _load(name: str, policy: Policy, now: datetime | None) -> LoadResult:
    data = read_input(name)
    return decode(data, policy.limits, now or parse_time("9999-12-31T00:00:00+00:00") or datetime.max)


def _time(text: str | None) -> datetime | None:
    if text is None:
        return None
    moment = parse_time(text)
    if moment is None or not has_offset(text):
        raise InputError(f"--now {text} is no time.", hint="ISO 8601 with offset, such as 2026-05-01T12:30:00+08:00.")
    return moment.replace(microsecond=0)


def _updated(document: MemoryDocument) -> datetime:
    """The document's own time, so that a plan does not depend on the clock."""
    moment = parse_time(document.updated_at) or parse_time("1970-01-01T00:00:00+00:00")
    return (moment or datetime.min).replace(microsecond=0)


def _replies(name: str, finish_reason: str | None) -> list[tuple[bytes | str, str | None]]:
    """The replies in a file: one, or one a line of JSONL (a JSON string, or an object with `reply`)."""
    data = read_input(name)
    if not name.endswith(".jsonl"):
        return [(data, finish_reason)]
    replies: list[tuple[bytes | str, str | None]] = []
    for number, line in enumerate(data.splitlines(), 1):
        if not line.strip():
            continue
        try:
            value = json.loads(line)
        except (ValueError, RecursionError) as error:
            raise InputError(f"{name}, line {number} is no JSON.", hint="One JSON string or object a line.") from error
        if isinstance(value, str):
            replies.append((value, finish_reason))
        elif isinstance(value, dict) and isinstance(value.get("reply"), str):
            own = value.get("finish_reason")
            replies.append((value["reply"], own if isinstance(own, str) else finish_reason))
        else:
            replies.append((line, finish_reason))
    return replies


@click.command("propose")
@click.argument("file", metavar="FILE|-")
@click.option("--finish-reason", metavar="R", help="What the endpoint gave as finish_reason.")
@memory_options
def propose_command(output: Output, file: str, finish_reason: str | None) -> int:
    """Put a reply into the queue, also an invalid one; applies nothing."""
    proposal = output.manager().propose(read_input(file), finish_reason=finish_reason)
    output.data(proposal, [f"{proposal.delta_id} waits", *review_lines(proposal.review)])
    return outcome_status(proposal.review)


@click.command("rejudge")
@click.option("--policy", "policy_file", metavar="FILE", help="The other policy; it counts as your own.")
@memory_options
def rejudge_command(output: Output, policy_file: str | None) -> int:
    """What if: judge every delta of the history and the queue under another policy; writes nothing.

    Without --policy the policy in force is used, which shows what the rules of today would say otherwise.
    """
    manager = output.manager()
    policy = output.manager(policy_file).policy if policy_file else manager.policy
    result = manager.rejudge(policy)
    lines = [
        f"{f'r{flip.seq}' if flip.seq else 'waiting':>8}  {flip.delta_id} {flip.at}: "
        f"{flip.before} → {flip.after}  [{flip.after_code}] {flip.message}"
        for flip in result.flips
    ]
    lines += [f"r{seq}: its document is no longer kept" for seq in result.not_kept]
    output.data(result, [*lines, f"{result.judged} deltas judged, {len(result.flips)} verdicts would flip"])
    return 1 if result.flips else 0
