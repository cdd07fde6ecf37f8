"""The command line's commands, one subject a file; loaded only when they are called."""
