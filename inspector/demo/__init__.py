"""The bundled sample: a small repository, and a conversation about it."""
