"""Memory for a coding agent: the model understands, the program constrains, the person decides."""
