"""From the body of an answer to the model's words, or to the reason why it holds none (U2b). Pure."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

from memory_core.codes import sentence
from memory_core.reply import ReplyReason

THINKING_HINT = "Switch thinking off for this model, or allow more tokens."


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
        text = body.decode("utf-8")
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
    if value.get("error") and not value.get("choices"):
        fault = value["error"]
        said = fault.get("message") if isinstance(fault, dict) else fault
        return _refused("answer_error", "The endpoint says so with status 200.", observed=str(said)[:300])
    return _choice(value, token_limit)


def _choice(value: dict[str, Any], token_limit: int | None) -> Envelope:
    choices = value.get("choices")
    first = choices[0] if isinstance(choices, list) and choices else None
    if not isinstance(first, dict):
        return _refused("answer_no_choices", "The endpoint gave no answer.")
    reason = first.get("finish_reason")
    finish = reason if isinstance(reason, str) else None
    message = first.get("message")
    if not isinstance(message, dict):
        return _refused("answer_no_message", "The endpoint gave no answer.", finish)
    if finish == "content_filter":
        return _refused("reply_filtered", "Even an answer that parses is not used.", finish)
    if isinstance(message.get("refusal"), str) and message["refusal"].strip():
        return _refused("answer_refusal", "Ask another model.", finish, observed=message["refusal"][:300])
    content = _content(message.get("content"))
    if not content.strip():
        if message.get("tool_calls") or message.get("function_call"):
            return _refused("reply_tool_call", "Offer the model no tools.", finish)
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


def _content(value: Any) -> str:
    """The text; a list of text parts is joined."""
    if isinstance(value, str):
        return value
    if isinstance(value, list):
        return "".join(str(part.get("text") or "") for part in value if isinstance(part, dict))
    return ""
