"""What the build files state of the repository (section 4)."""
