"""Count labels, whatever holds them.

Lists, arrays, data frames and files come in; the counts of each pair of labels come out. Nothing
here depends on a measure.
"""
