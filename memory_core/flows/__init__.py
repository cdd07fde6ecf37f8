"""What the public entries do, one subject a file.

Each flow takes a `Workbench` and may raise from `memory_core.errors`.
"""
