"""One answer per question: facts about every kind of prediction, over random data."""
