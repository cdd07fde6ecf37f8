"""Sends text to the clipboard of whoever sits at the terminal."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Mapping

from inspector.display import masked, scrub


def sendable(text: str) -> str:
    """The text as it may be pasted: secrets masked, what could act on a terminal a token; line breaks stay."""
    return "\n".join(scrub(line) for line in masked(text).split("\n"))


def send_through_tmux(text: str, environ: Mapping[str, str]) -> bool:
    """Hand the text to tmux, which knows the outer terminal; whether that was done. Meant for a thread."""
    program = shutil.which("tmux")
    if not environ.get("TMUX") or program is None:
        return False
    try:
        done = subprocess.run(
            [program, "load-buffer", "-w", "-"], input=text.encode(), capture_output=True, timeout=2, check=False
        )
    except (OSError, subprocess.SubprocessError):
        return False
    return done.returncode == 0
