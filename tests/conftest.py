"""Settings that every test shares."""

from __future__ import annotations

from hypothesis import settings

# Tests bound work, not time: on a busy machine an example may take long.
settings.register_profile("project", deadline=None)
settings.load_profile("project")
