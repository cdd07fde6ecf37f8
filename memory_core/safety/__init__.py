"""What is not safe to remember: `scan` finds it, `secrets` masks what must not be shown (A6, A9, A9b, D8)."""
