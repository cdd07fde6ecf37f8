"""Commands that open the console: open, demo."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

import click

from inspector.commands.common import Output, memory_options
from memory_core.errors import InputError


def has_screen() -> bool:
    """Whether there is a terminal to draw on and to read keys from."""
    return sys.stdin.isatty() and sys.stdout.isatty()


def screen_options(function: Callable[..., Any]) -> Callable[..., Any]:
    """Options of every command that opens a screen."""
    function = click.option("--no-mouse", is_flag=True, help="Leave the mouse to the terminal.")(function)
    function = click.option("--ascii", "ascii_only", is_flag=True, help="No glyph of ambiguous width.")(function)
    return click.option("--read-only", is_flag=True, help="Nothing can be written.")(function)


@click.command("open")
@screen_options
@memory_options
def open_command(output: Output, read_only: bool, ascii_only: bool, no_mouse: bool) -> int:
    """The console on this repository."""
    if output.as_json or not has_screen():
        raise InputError(
            "The console needs a terminal.",
            hint="Without one, memory-inspector show prints the memory and memory-inspector pending the queue.",
        )
    root = output.root
    from inspector.app import run

    return run(root, read_only=read_only, ascii_only=ascii_only, mouse=not no_mouse)


@click.command("demo")
@screen_options
@memory_options
def demo_command(output: Output, read_only: bool, ascii_only: bool, no_mouse: bool) -> int:
    """The console on a throw-away copy of a bundled sample repository, with a few deltas that wait.

    Without a terminal the same memory goes through the whole chain and is printed step by step.
    """
    from inspector.demo.sample import sample_repository, walk_through

    if output.as_json or not has_screen():
        with sample_repository(with_deltas=False) as root:
            steps = walk_through(root)
        output.data(steps, [line for step in steps for line in step.lines()])
        return 0
    with sample_repository() as root:
        from inspector.app import run

        return run(root, read_only=read_only, ascii_only=ascii_only, mouse=not no_mouse, title="demo-shop")
