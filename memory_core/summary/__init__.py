"""When a summary is due, what the model is asked, and who answers (sections 5 and 6)."""
