"""From the body of an answer to the model's words, or to the reason why it holds none (U2b). Pure."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

from memory_core.codes import sentence
from memory_core.reply import ReplyReason

THINKING_HINT = "Switch thinking off for this model, or allow more tokens."
_TEXT_PARTS = ("text", "output_text")


@dataclass(frozen=True, slots=True)
class Envelope:
    """What an answer's body holds."""

    text: str = ""
    finish_reason: str | None = None
    model: str = ""
    refused: ReplyReason | None = None


def _refused(code: str, hint: str = "", finish: str | None = None, **values: object) -> Envelope:
    return Envelope("", finish, "", ReplyReason(code, sentence(code, **values), hint))


def open_envelope(body: bytes, *, token_limit: int | None = None) -> Envelope:
    """The words of a chat completion's body. Never raises."""
    try:
        text = body.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        return _refused("reply_not_utf8", "Look at what answers there.", observed=error.start)
    if text.lstrip()[:1] == "<":
        return _refused("answer_html", "A proxy or a web page answers there; look at the URL.")
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return _refused("answer_no_json", "Look at what answers there.")
    if not isinstance(value, dict):
        return _refused("answer_no_json", "Look at what answers there.")
    return _fault(value) or _choice(value, token_limit)


def _fault(value: dict[str, Any]) -> Envelope | None:
    """An error that comes with status 200, at the top or in the choice."""
    fault = value.get("error")
    if not fault:
        return None
    said = fault.get("message") if isinstance(fault, dict) else fault
    return _refused("answer_error", "It came with status 200, as if it were an answer.", observed=str(said)[:300])


def _choice(value: dict[str, Any], token_limit: int | None) -> Envelope:
    choices = value.get("choices")
    first = choices[0] if isinstance(choices, list) and choices else None
    if not isinstance(first, dict):
        return _refused("answer_no_choices", "The endpoint gave no answer.")
    if (fault := _fault(first)) is not None:
        return fault
    reason = first.get("finish_reason")
    finish = reason if isinstance(reason, str) else None
    message = first.get("message")
    if not isinstance(message, dict):
        return _refused("answer_no_message", "The endpoint gave no answer.", finish)
    if finish == "content_filter":
        return _refused("reply_filtered", "Even an answer that parses is not used.", finish)
    if refusal := _refusal(message):
        return _refused("answer_refusal", "Ask another model.", finish, observed=refusal[:300])
    if message.get("tool_calls") or message.get("function_call"):
        return _refused("reply_tool_call", "Offer the model no tools.", finish)
    content = _content(message.get("content"))
    if not content.strip():
        thought = message.get("reasoning_content") or message.get("reasoning")
        if finish == "length":
            limit = f" of {token_limit} tokens" if token_limit else ""
            code = "answer_all_reasoning" if thought else "reply_cut_off"
            return _refused(code, THINKING_HINT, finish, limit=limit)
        if thought:
            return _refused("answer_in_reasoning", THINKING_HINT, finish)
        if message.get("content") is None:
            return _refused("answer_null_content", "The endpoint gave an empty answer.", finish)
    model = value.get("model")
    return Envelope(content, finish, model if isinstance(model, str) else "")


def _refusal(message: dict[str, Any]) -> str:
    """The words of a refusal, in its own field or as a part of the content."""
    content = message.get("content")
    parts = [part for part in content if isinstance(part, dict)] if isinstance(content, list) else []
    found = (holder.get("refusal") for holder in (message, *parts))
    return next((text.strip() for text in found if isinstance(text, str) and text.strip()), "")


def _content(value: Any) -> str:
    """The text; a list of text parts is joined, parts of another kind (reasoning, pictures) are left out."""
    if isinstance(value, str):
        return value
    if not isinstance(value, list):
        return ""
    texts = (
        part.get("text") if isinstance(part, dict) and part.get("type", "text") in _TEXT_PARTS else part
        for part in value
    )
    return "".join(text for text in texts if isinstance(text, str))
