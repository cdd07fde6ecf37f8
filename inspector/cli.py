"""The command line: stdout carries data and nothing else, stderr the narration.

Exit status: 0 done and nothing to object · 1 done, and something was held, rejected, refused or found · 2 the words or
the input are unusable · 3 the state forbids it · 70 a fault of ours · 130 interrupted.
"""

from __future__ import annotations

import contextlib
import importlib
import os
import sys
import traceback
from collections.abc import Sequence
from typing import Any

import click

from inspector.commands.common import Output, log_file, version
from memory_core.errors import InputError, MemoryCoreError, StateError, SummaryError

FOUND, UNUSABLE, FORBIDDEN, FAULT, INTERRUPTED = 1, 2, 3, 70, 130

# Command to the module that defines it, in the order of --help.
COMMANDS = {
    "open": "screen",
    "demo": "screen",
    "show": "look",
    "check": "look",
    "pending": "queue",
    "plan": "judge",
    "propose": "judge",
    "rejudge": "judge",
    "review": "queue",
    "approve": "queue",
    "dismiss": "queue",
    "context": "look",
    "history": "revisions",
    "diff": "revisions",
    "restore": "revisions",
    "revert": "revisions",
    "item": "items",
    "profile": "look",
    "record": "agent",
    "summarize": "agent",
    "reset": "revisions",
    "codes": "reference",
    "policy": "reference",
}

EPILOG = """\b
Begin with
  memory-inspector demo                 the console on a throw-away sample
  memory-inspector                      the console on the repository you stand in
  memory-inspector show                 the same memory as text
  memory-inspector pending              what waits for a decision

\b
Exit status
  0  done, nothing to object      2  unusable words or input
  1  something was held,          3  the state forbids it: locked,
     rejected, refused or found      changed since, read-only
"""


class LazyGroup(click.Group):
    """Imports a command's module when the command is called, so that `show` never pays for a screen."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Every command, in the order of the table."""
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """The command of that name, or None."""
        if cmd_name not in COMMANDS:
            return None
        module = importlib.import_module(f"inspector.commands.{COMMANDS[cmd_name]}")
        command: click.Command = getattr(module, f"{cmd_name}_command")
        return command


@click.group(
    cls=LazyGroup,
    invoke_without_command=True,
    epilog=EPILOG,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
)
@click.option("--repo", metavar="PATH", help="Repository to work on. Default: found from the folder you stand in.")
@click.option("--json", "as_json", is_flag=True, help="Print exactly one JSON document.")
@click.option("--version", "show_version", is_flag=True, help="Print the version.")
@click.pass_context
def cli(ctx: click.Context, repo: str | None, as_json: bool, show_version: bool) -> None:
    """See what a coding agent remembers of a repository, and decide what it may remember.

    The model understands, the program constrains, you decide. Without a command: the console on this repository.
    """
    output = ctx.ensure_object(Output)
    output.repo, output.as_json = repo, output.as_json or as_json
    if show_version:
        output.data({"version": version()}, [f"memory-inspector {version()}"])
    elif ctx.invoked_subcommand is None:
        command = LazyGroup.get_command(cli, ctx, "open")
        if command is not None:
            ctx.exit(ctx.invoke(command) or 0)


def run(arguments: Sequence[str]) -> int:
    """Run one command line and give its exit status; nobody sees a traceback."""
    words = list(arguments)
    # Asked for here, since the words may be unusable before click has read this one.
    output = Output(as_json="--json" in (words[: words.index("--")] if "--" in words else words))
    try:
        status: Any = cli.main(words, prog_name="memory-inspector", standalone_mode=False, obj=output)
        sys.stdout.flush()
        return status if isinstance(status, int) else 0
    except (BrokenPipeError, SystemExit):  # click makes the one into the other, and gives up
        return _reader_went_away()
    except BaseException as error:
        try:
            return _failed(output, error)
        except BrokenPipeError:
            return _reader_went_away()


def _failed(output: Output, error: BaseException) -> int:
    """Say what went wrong, and give its exit status; what is no error of a command's goes on."""
    if isinstance(error, click.exceptions.Exit):
        return error.exit_code
    if isinstance(error, (click.Abort, KeyboardInterrupt)):
        output.fail("interrupted", "Interrupted; nothing is half done.", "")
        return INTERRUPTED
    if isinstance(error, click.UsageError):
        context = error.ctx.command_path if error.ctx else "memory-inspector"
        output.fail("usage", error.format_message(), f"{context} --help explains.")
        return UNUSABLE
    if isinstance(error, click.ClickException):
        output.fail("bad_input", error.format_message(), "")
        return UNUSABLE
    if isinstance(error, MemoryCoreError):
        output.fail(error.code, error.message, error.hint)
        return status_of(error)
    if isinstance(error, Exception):
        return _fault(output, error)
    raise error


def _reader_went_away() -> int:
    """A closed pipe (`| head`): point stdout elsewhere, else the interpreter complains when it closes it."""
    with contextlib.suppress(OSError, ValueError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    return 0


def status_of(error: MemoryCoreError) -> int:
    """The exit status that an error of the library stands for."""
    if isinstance(error, InputError):
        return UNUSABLE
    if isinstance(error, StateError):
        return FORBIDDEN
    return FOUND if isinstance(error, SummaryError) else FAULT


def _fault(output: Output, error: Exception) -> int:
    where = log_file()
    with contextlib.suppress(OSError):
        where.parent.mkdir(parents=True, exist_ok=True)
        with where.open("a", encoding="utf-8", errors="backslashreplace") as log:
            log.write("".join(traceback.format_exception(error)))
    output.fail("internal_fault", f"A fault of ours: {type(error).__name__}.", f"The details are in {where}.")
    return FAULT
