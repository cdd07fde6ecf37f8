"""Commands for looking things up: codes, policy."""

from __future__ import annotations

import click

from inspector.commands.common import Output, memory_options
from memory_core.codes import CODES


@click.command("codes")
@memory_options
def codes_command(output: Output) -> int:
    """Every reason code with its sentence and the requirement it serves."""
    codes = tuple(CODES.values())
    output.data(codes, [f"{code.code:<24} {code.rule:<5} {code.sentence}" for code in codes])
    return 0


@click.command("policy")
@click.option("--policy", "policy_file", metavar="FILE", help="Also read this file; it counts as your own.")
@memory_options
def policy_command(output: Output, policy_file: str | None) -> int:
    """The policy in force, and where each value comes from."""
    from memory_core.configuration import describe

    configuration = output.manager(policy_file).configuration
    rows = describe(configuration)
    lines = [f"{row.key:<28} {row.value}   ({row.source}{f':{row.line}' if row.line else ''})" for row in rows]
    lines += [f"! {problem}" for problem in configuration.problems]
    output.data(rows, lines)
    return 1 if configuration.problems else 0
