"""Who answers: an OpenAI-compatible endpoint, the built-in extractive summariser, a script."""
