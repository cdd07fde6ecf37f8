"""Every error that a person's call can raise.

    MemoryCoreError                 has a code, a message, a hint
    ├── InputError                  the words or the input are unusable
    │   ├── PolicyError             a policy file has a wrong entry
    │   └── UnknownIdError          no delta, revision or item of that name
    ├── StateError                  the state forbids it
    │   ├── LockedError             another process holds the lock
    │   ├── ChangedError            the file changed since the preview
    │   ├── GenerationError         a reset came in between
    │   ├── LinkRefusedError        a link stands in place of one of our files
    │   ├── UnreadableError         permissions, I/O, or a folder in its place
    │   ├── CorruptError            the file holds no document to apply to
    │   ├── QueueFullError          the queue takes no more
    │   ├── WriteError              the write failed, the old file stands
    │   └── OutcomeUnknownError     the write may or may not have become durable
    └── SummaryError                no summary came to be
        ├── RefusedReplyError       the parser refused the reply
        └── EndpointError           the model's endpoint failed

What an agent calls raises none of them (I4).
"""

from __future__ import annotations


class MemoryCoreError(Exception):
    """Root of the tree. `code` is stable, `message` says what and where, `hint` says what to do."""

    code = "memory_error"

    def __init__(self, message: str, *, hint: str = "", code: str | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint
        if code is not None:
            self.code = code


class InputError(MemoryCoreError):
    """The words or the input are unusable."""

    code = "bad_input"


class PolicyError(InputError):
    """A policy file has a wrong entry; `line` counts from 1."""

    code = "bad_policy"

    def __init__(self, message: str, *, line: int | None = None, hint: str = "") -> None:
        super().__init__(message, hint=hint)
        self.line = line


class UnknownIdError(InputError):
    """No delta, revision or item of that name."""

    code = "unknown_id"


class StateError(MemoryCoreError):
    """The state of the folder forbids what was asked."""

    code = "state"


class LockedError(StateError):
    """Another process holds the lock; `holder` is its pid where it is known (S6)."""

    code = "locked"

    def __init__(self, message: str, *, holder: int | None = None, hint: str = "") -> None:
        super().__init__(message, hint=hint)
        self.holder = holder


class ChangedError(StateError):
    """The file changed since the preview (R4); `review` is the new review, where there is one."""

    code = "changed_since"

    def __init__(self, message: str, *, review: object | None = None, hint: str = "") -> None:
        super().__init__(message, hint=hint)
        self.review = review


class GenerationError(StateError):
    """A reset came in between (U5)."""

    code = "older_generation"


class LinkRefusedError(StateError):
    """A link stands in place of one of our files (S8)."""

    code = "link_refused"


class UnreadableError(StateError):
    """Permissions, I/O or a folder in place of a file (S2): nothing is moved, nothing is written."""

    code = "unreadable"


class CorruptError(StateError):
    """The file holds no document that an approval could apply to (S2)."""

    code = "corrupt"


class QueueFullError(StateError):
    """The queue takes no more deltas (S10)."""

    code = "queue_full"


class WriteError(StateError):
    """The write failed before it counted; the old file stands (S7b)."""

    code = "write_failed"


class OutcomeUnknownError(StateError):
    """The rename happened, the fsync of the folder failed (S7b): read the file again."""

    code = "outcome_unknown"


class SummaryError(MemoryCoreError):
    """No summary came to be (U6)."""

    code = "summary_failed"


class RefusedReplyError(SummaryError):
    """The parser refused the model's reply (U2, U2b)."""

    code = "reply_refused"


class EndpointError(SummaryError):
    """The model's endpoint failed (U3)."""

    code = "endpoint_failed"
