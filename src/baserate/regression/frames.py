"""Predictions in data frames and engines: all rows of them, or sums and a sample of many."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, NamedTuple

from baserate.core.catalogue import chosen
from baserate.core.paired import pairs_of
from baserate.core.task import JointObservations, Observations
from baserate.data.engines.number_source import incomparable
from baserate.data.engines.numbers import MOST_ROWS, read_frame_numbers
from baserate.data.number_rows import NumberRows
from baserate.exceptions import InvalidFrameError
from baserate.regression.engine.answers import Answers
from baserate.regression.engine.forms import needs_rows
from baserate.regression.engine.passes import Passes
from baserate.regression.measures.catalogue import NUMBER_MEASURES, REPORTED, get_number_measure
from baserate.regression.numbers import Numbers
from baserate.regression.predictions import fits_of_rows, pairs_of_rows

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from baserate.core.task import Rows
    from baserate.data.engines.number_source import NumberSource
    from baserate.data.groups import Group
    from baserate.regression.fit import Fit
    from baserate.regression.measures.record import NumberMeasure
    from baserate.regression.paired.joint import JointFit
    from baserate.regression.summary import FitSummary, JointSummary, NumbersSummary


class Limits(NamedTuple):
    """How many rows leave an engine.

    Parameters
    ----------
    rows
        The most rows of which all leave it, if sums are enough for the measures.
    needed
        The same if a measure needs the rows.
    sample
        How many rows leave it at random if there are more, about.
    """

    rows: int = MOST_ROWS
    needed: int = 10**7
    sample: int = 10**5

    def most(self, measures: Sequence[NumberMeasure]) -> int:
        """Return the most rows that leave an engine for some measures."""
        return self.needed if any(map(needs_rows, measures)) else self.rows


LIMITS = Limits()


def fits_of_frame(
    frame: Any, truth: str, columns: Mapping[str, str], rows: Rows, limits: Limits = LIMITS
) -> Observations:
    """Put every model of a data frame beside the truth."""
    read = _read(frame, truth, columns, rows, limits)
    if isinstance(read, NumberRows):
        return Observations(fits_of_rows(read), read.dropped)
    tables: dict[str, dict[Any, Fit | FitSummary]] = {model: {} for model in columns}
    for group, found in read.parts():
        by_model = found.fits if isinstance(found, Answers) else fits_of_rows(found)
        for place, model in enumerate(columns):
            tables[model][group] = (
                by_model[place] if isinstance(by_model, list) else by_model[model][None]
            )
    return Observations(tables, read.dropped)


def pairs_of_frame(
    frame: Any, truth: str, columns: Mapping[str, str], rows: Rows, limits: Limits = LIMITS
) -> JointObservations:
    """Put every pair of models of a data frame beside the truth."""
    names, with_first = list(columns), rows.with_first
    places = pairs_of(range(1, len(names) + 1), with_first=with_first)
    read = _read(frame, truth, columns, rows, limits, pairs=places)
    if isinstance(read, NumberRows):
        return pairs_of_rows(read, with_first=with_first)
    pairs = pairs_of(names, with_first=with_first)
    tables: dict[tuple[str, str], dict[Any, JointFit | JointSummary]] = {each: {} for each in pairs}
    for group, found in read.parts():
        if isinstance(found, Answers):
            for pair, joint in zip(pairs, found.joints, strict=True):
                tables[pair][group] = joint
        else:
            for pair, joints in pairs_of_rows(found, with_first=with_first).pairs.items():
                tables[pair][group] = joints[None]
    return JointObservations(tables, read.dropped)


def numbers_of_frame(
    frame: Any, truth: str, rows: Rows, limits: Limits = LIMITS
) -> tuple[Numbers | NumbersSummary, int]:
    """Read the truth alone; also return how many rows were dropped."""
    read = _read(frame, truth, {}, rows._replace(by=None), limits)
    if isinstance(read, NumberRows):
        return Numbers(read.truth, read.weights), read.dropped
    return read.answers(read.source).test_set, read.dropped


def _read(
    frame: Any,
    truth: str,
    columns: Mapping[str, str],
    rows: Rows,
    limits: Limits,
    *,
    pairs: Sequence[tuple[int, int]] = (),
) -> NumberRows | _Staying:
    measures = chosen(NUMBER_MEASURES, rows.measures, get_number_measure, REPORTED)
    reads_all = rows.weights is not None or rows.clustered
    most = limits.needed if reads_all else limits.most(measures)
    read = read_frame_numbers(
        frame, truth, columns, by=rows.by, drop=rows.drop, most=most, weights=rows.weights
    )
    if isinstance(read, NumberRows):
        return read
    if reads_all:
        why = "clusters" if rows.clustered else "sample_weight"
        raise InvalidFrameError(
            f"must have at most {limits.needed:,} rows with {why}, since all are "
            "read from the engine; evaluate a random sample of the rows",
            parameter="y_true",
        )
    source, dropped = read.counted(drop=rows.drop)
    has_groups = rows.by is not None
    return _Staying(source, dropped, list(columns), measures, limits, pairs, has_groups)


class _Staying(NamedTuple):
    """Rows that stay in an engine.

    Parameters
    ----------
    source
        The rows.
    dropped
        How many rows were left out.
    models
        The names of the models.
    measures
        The measures that are asked for.
    limits
        How many rows leave an engine.
    pairs
        The places of models that are compared, from 1, two at a time.
    has_groups
        Whether each group is asked for, too.
    """

    source: NumberSource
    dropped: int
    models: list[str]
    measures: Sequence[NumberMeasure]
    limits: Limits
    pairs: Sequence[tuple[int, int]]
    has_groups: bool

    def parts(self) -> Iterator[tuple[Group | None, Answers | NumberRows]]:
        """Return what is known of all rows, and of each group: the rows of those with few."""
        yield None, self.answers(self.source)
        if not self.has_groups:
            return
        for group, part in self.source.parts():
            if part.total <= self.limits.most(self.measures):
                yield group, self._rows(group, part)
            else:
                answers = self.answers(part)
                _require_rows(group, answers.passes.total, part.total)
                yield group, answers

    def answers(self, source: NumberSource) -> Answers:
        """Return what is known of all rows of a source."""
        sample = source.sample(self.limits.sample)
        passes = Passes(source.near(sample), sample, self.measures, self.pairs)
        if not passes.is_sure:
            passes = replace(passes, source=source.known())
        return Answers(passes)

    def _rows(self, group: Group | None, part: NumberSource) -> NumberRows:
        truth, *predicted = part.rows_in_memory().values()
        _require_rows(group, truth.size, part.total)
        named = dict(zip(self.models, predicted, strict=True))
        return NumberRows(truth, named, {None: slice(None)}, 0)


def _require_rows(group: Group | None, rows: int, expected: int) -> None:
    """Raise unless the rows of a group were found again."""
    if rows != expected:
        raise incomparable(group)
