"""What can go wrong, and the sentences that say so.

Every exception derives from `BaserateError` and from the built-in that a caller would expect.
A message says what must hold, what was found, and what to do instead.
"""

from baserate.exceptions.base import BaserateError
from baserate.exceptions.data import (
    InvalidCountError,
    InvalidLabelsError,
    InvalidPredictionsError,
    InvalidProbabilityError,
    InvalidSampleError,
    InvalidThetaError,
    MisalignedRowsError,
    MisplacedArgumentError,
    MissingLabelsWarning,
    TooManyClassesError,
    UnseenClassWarning,
)
from baserate.exceptions.frames import (
    InvalidFileError,
    InvalidFrameError,
    MissingFileError,
    UnwritableFileError,
)
from baserate.exceptions.measures import (
    InvalidMeasureError,
    NoBaselineError,
    TooManyValuesError,
    UndefinedMeasureError,
    UndefinedMeasureWarning,
    UnknownMeasureError,
)
from baserate.exceptions.models import InvalidScoresError, InvalidTargetError, InvalidWeightsError
from baserate.exceptions.reports import (
    InvalidReportError,
    MissingDependencyError,
    NotInReportError,
)

__all__ = [
    "BaserateError",
    "InvalidCountError",
    "InvalidFileError",
    "InvalidFrameError",
    "InvalidLabelsError",
    "InvalidMeasureError",
    "InvalidPredictionsError",
    "InvalidProbabilityError",
    "InvalidReportError",
    "InvalidSampleError",
    "InvalidScoresError",
    "InvalidTargetError",
    "InvalidThetaError",
    "InvalidWeightsError",
    "MisalignedRowsError",
    "MisplacedArgumentError",
    "MissingDependencyError",
    "MissingFileError",
    "MissingLabelsWarning",
    "NoBaselineError",
    "NotInReportError",
    "TooManyClassesError",
    "TooManyValuesError",
    "UndefinedMeasureError",
    "UndefinedMeasureWarning",
    "UnknownMeasureError",
    "UnseenClassWarning",
    "UnwritableFileError",
]

# A traceback names them as users import them.
for _name in __all__:
    globals()[_name].__module__ = __name__
