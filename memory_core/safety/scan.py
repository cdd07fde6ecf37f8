"""Everything in a text that is not safe to remember (A6, A9, A9b). Pure, linear.

`find` looks at the text as it stands, and at it as a reader would take it: width, accents, look-alike letters and
invisible characters folded away.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import lru_cache

from memory_core.safety.commands import find_commands
from memory_core.safety.finding import Finding
from memory_core.safety.folding import fold
from memory_core.safety.hidden import find_hidden
from memory_core.safety.instructions import find_instructions
from memory_core.safety.pasted import find_pasted
from memory_core.safety.payload import find_payload
from memory_core.safety.personal import find_personal
from memory_core.safety.reasoning import find_reasoning
from memory_core.safety.scripts import find_mixed_scripts
from memory_core.safety.secrets import find_secrets, mask_secrets
from memory_core.safety.structure import find_structure

LONGEST = 6_000
"""Characters in which words are weighed; no text that memory holds is longer (D6). What cannot be seen, secrets and
personal data are looked for everywhere."""


def find_unseen(text: str) -> tuple[Finding, ...]:
    """What a reviewer cannot see, and secrets: rejected wherever it stands."""
    return _in_order([*find_hidden(text), *find_secrets(text)])


@lru_cache(maxsize=2048)
def find(text: str) -> tuple[Finding, ...]:
    """Everything in a text that is not safe to remember, in order."""
    head = text[:LONGEST]
    folded = fold(head)
    secrets = tuple(find_secrets(text))
    commands = tuple(find_commands(folded))
    judged = [*find_instructions(folded, commands), *commands, *find_structure(folded), *find_payload(folded)]
    reasoned = [(kind, folded.span(start, end)) for kind, start, end in find_reasoning(folded)]
    found = [
        *find_hidden(text),
        *secrets,
        *find_personal(text),
        *(_flag(text, kind, *folded.span(start, end)) for kind, start, end in judged),
        *(_flag(text, kind, start, end) for kind, start, end in find_mixed_scripts(head)),
        *find_pasted(head),
        *(Finding(kind, "flag", *span, "A6", text[slice(*span)]) for kind, span in reasoned),
    ]
    return _in_order(_masked(found, secrets))


def _flag(text: str, kind: str, start: int, end: int) -> Finding:
    return Finding(kind, "flag", start, end, "A9", text[start:end])


def _masked(found: Iterable[Finding], secrets: tuple[Finding, ...]) -> Iterator[Finding]:
    """The findings; an excerpt that holds a secret shows its marker."""
    for finding in found:
        hides = finding.kind != "secret" and any(
            secret.start < finding.end and finding.start < secret.end for secret in secrets
        )
        if hides:
            excerpt = mask_secrets(finding.excerpt)
            yield Finding(finding.kind, finding.action, finding.start, finding.end, finding.rule, excerpt)
        else:
            yield finding


def _in_order(found: Iterable[Finding]) -> tuple[Finding, ...]:
    return tuple(sorted(found, key=lambda finding: (finding.start, finding.end)))
