"""What a score is worth: judged, named and put into a sentence."""
