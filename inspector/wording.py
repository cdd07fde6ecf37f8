"""What an operation would do, in plain words; shared by the console and the command line."""

from __future__ import annotations

from memory_core.review.verdict import Verdict

NAMES = {"durable_preference": "preference", "project_note": "note", "topic": "topic", "turn_summary": "turn"}


def plainly(verdict: Verdict) -> str:
    """One line: which kind of thing is made or changed, and its label."""
    after, before = verdict.after or {}, verdict.before or {}
    label = str(after.get("label") or before.get("label") or "")
    if verdict.kind == "turn_summary":
        words = str(after.get("summary") or before.get("user_text") or verdict.target_id or "")
        return f"summarise: {words}"
    what = NAMES.get(verdict.kind) or NAMES.get(str(after.get("type") or before.get("type")), "item")
    if verdict.operation == "create_new":
        return f"new {what}: {label}" if label else f"new {what}"
    if verdict.operation == "update_existing":
        return f"update {what}: {label}" if label else f"update {what} {verdict.target_id or ''}".rstrip()
    return f"{verdict.operation or 'unknown operation'} on {what} {verdict.target_id or ''}".rstrip()
