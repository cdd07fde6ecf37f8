"""The one way into the files of `.autopatch-j/` (section 3)."""
