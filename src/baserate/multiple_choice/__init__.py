"""Multiple choice: what guessing scores on questions with a few options each."""
