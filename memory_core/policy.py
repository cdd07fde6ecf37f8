"""Policy: limits, signals, mode and rules. Values only; `configuration.py` reads them from the text of files (S12)."""

from __future__ import annotations

import hashlib
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field

Mode = Literal["auto", "review"]

SWITCHABLE = ("A6", "A7", "A8", "A9", "A9b", "A9d", "A9e")
"""Numbers of the rules that the person's own file may switch off (S12); the others keep the document well formed."""

CHINESE_SIGNALS = (
    "以后",
    "每次",
    "必须",
    "不要",
    "我希望",
    "我不喜欢",
    "优先",
    "规则",
    "守则",
    "记住",
    "默认",
)
ENGLISH_SIGNALS = (
    "from now on",
    "every time",
    "always",
    "must",
    "never",
    "don't",
    "I want",
    "I'd like",
    "I don't like",
    "prefer",
    "rule",
    "remember",
    "by default",
)


class Limits(BaseModel):
    """The numbers of D6: characters, entries, bytes."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)

    user_text: Annotated[int, Field(ge=1)] = 1000
    assistant_text: Annotated[int, Field(ge=1)] = 2000
    scope_paths: Annotated[int, Field(ge=0)] = 10
    scope_path: Annotated[int, Field(ge=1)] = 300
    modules: Annotated[int, Field(ge=0)] = 200
    modules_in_prompt: Annotated[int, Field(ge=0)] = 40
    label: Annotated[int, Field(ge=1)] = 60
    summary: Annotated[int, Field(ge=1)] = 300
    recent_turns: Annotated[int, Field(ge=1)] = 12
    active_topics: Annotated[int, Field(ge=0)] = 8
    long_term_items: Annotated[int, Field(ge=0)] = 50
    soft_bytes: Annotated[int, Field(ge=1024)] = 24 * 1024
    hard_bytes: Annotated[int, Field(ge=1024)] = 32 * 1024


class Policy(BaseModel):
    """What the program constrains, beside the fixed rules. Hashed into every approval (R4b)."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    limits: Limits = Limits()
    signals: tuple[str, ...] = CHINESE_SIGNALS + ENGLISH_SIGNALS
    mode: Mode | None = None
    """None: `review` where a person asked for the summary, `auto` where an agent did (R1)."""
    history_keep: Annotated[int, Field(ge=1)] = 1000
    queue_keep: Annotated[int, Field(ge=1)] = 500
    mask_secrets: bool = True
    """Whether recognised secrets in recorded texts and kept replies are replaced (D8)."""
    rules_off: frozenset[str] = frozenset()
    """Rules that the person's own file switches off, by number: `A6` (S12)."""

    @property
    def sha256(self) -> str:
        """SHA-256 over every value, for R4b."""
        values = self.model_dump(mode="json") | {"rules_off": sorted(self.rules_off)}
        return hashlib.sha256(repr(sorted(values.items())).encode()).hexdigest()
