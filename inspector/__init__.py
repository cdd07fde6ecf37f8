"""The console on `memory_core`, and its command line. Owns no rule."""
