"""Where long-term memory may come from: a preference from the user's words, a note from the talk (A5, D3).

Never switched off.
"""

from __future__ import annotations

from collections.abc import Iterator

from memory_core.document import SOURCE_OF
from memory_core.review.candidate import Candidate, check, passed, shown
from memory_core.review.verdict import Check


def run(candidate: Candidate) -> Iterator[Check]:
    """The source is there where it must be, and is the one that the type allows; an update keeps its item's."""
    kind = candidate.item_type
    if kind is None:
        return
    source, item = candidate.raw.get("source"), candidate.target
    legal = item.source if item is not None else SOURCE_OF[kind]
    name = f"a {kind.replace('_', ' ')}"
    if source is None:
        if candidate.creates or kind == "project_note":
            yield check("failed", "missing_field", on="source", limit=legal)
        else:
            yield passed("illegal_source", "A preference may be updated without a source.", limit=legal, on="source")
    elif item is not None and source != legal and source in SOURCE_OF.values():
        yield check("failed", "source_change", on="source", observed=source, limit=legal, target=shown(item.id))
    elif source != legal:
        yield check("failed", "illegal_source", on="source", observed=shown(source), limit=legal, kind=name)
    else:
        yield passed("illegal_source", f"{source} is the source of {name}.", observed=source, limit=legal, on="source")
