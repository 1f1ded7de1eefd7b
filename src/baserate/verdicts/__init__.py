"""What a score is worth: the judgement, its outcome and its sentence."""
