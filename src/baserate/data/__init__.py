"""From whatever holds a user's labels to plain counts.

Lists, arrays, data frames and files come in; how often each pair of labels occurs goes out. Nothing
here knows a measure.
"""
