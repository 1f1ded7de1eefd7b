"""What any library needs: checks of arguments, plain data as text, progress.

Nothing here knows a measure or a test set.
"""
