"""Names of packages that pass for well-known ones (A9)."""

from __future__ import annotations

import re

_NAMES = """
    axios beautifulsoup4 boto3 chalk colorama commander commons-io commons-lang3 cross-env crypto-js crypto-utils
    cryptography date-utils django eslint express fastjson flask guava hibernate jackson jackson-databind junit jsonwebtoken
    left-pad lodash log4j log4j-core logback lombok mockito moment mybatis netty node-fetch numpy okhttp openssl pandas
    pillow psycopg2 pytest python-dateutil pyyaml react react-router requests scikit-learn setuptools slf4j socket.io
    spring-boot spring-core sqlalchemy string-utils tensorflow typescript urllib3 webpack
    """
WELL_KNOWN = frozenset(_NAMES.split())
_NAME = re.compile(r"(?<![a-z0-9_./@-])[a-z][a-z0-9.-]{3,30}[a-z0-9](?![a-z0-9_/-])")
_MOST = 400
"""Names of one sentence that are looked at."""


def lookalike(text: str, start: int, end: int) -> tuple[int, int] | None:
    """The first name within a stretch that is one slip away from a well-known one."""
    for tries, match in enumerate(_NAME.finditer(text, start, end)):
        if tries >= _MOST:
            break
        name = match[0]
        if name not in WELL_KNOWN and any(_one_slip(name, known) for known in WELL_KNOWN):
            return match.span()
    return None


def _one_slip(name: str, known: str) -> bool:
    """One letter more, less, other, or two swapped; digits and a plural `s` make another version or word."""
    if abs(len(name) - len(known)) > 1 or len(known) < 5:
        return False
    if name.strip("0123456789") == known.strip("0123456789") or name.rstrip("s") == known.rstrip("s"):
        return False
    at = next(
        (place for place, (a, b) in enumerate(zip(name, known, strict=False)) if a != b), min(len(name), len(known))
    )
    rest, other = name[at:], known[at:]
    return (
        rest[1:] == other[1:]
        or rest[1:] == other
        or rest == other[1:]
        or (rest[:2] == other[1::-1] and rest[2:] == other[2:])
    )
