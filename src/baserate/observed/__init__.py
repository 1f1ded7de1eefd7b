"""What was seen: distinct rows and how much each counts."""
