"""A real Dask cluster of two workers and a real local Spark: one job, for any partitions."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
import pytest

import baserate as br
from backends import NO_DASK, NO_SPARK, spark_session

if TYPE_CHECKING:
    from collections.abc import Iterator

SIZE = 2_000
RNG = np.random.default_rng(3)
TRUTH = (RNG.random(SIZE) < 0.3).astype(int)
COLUMNS = {
    "y": TRUTH,
    "tree": TRUTH ^ (RNG.random(SIZE) < 0.2),
    "knn": TRUTH ^ (RNG.random(SIZE) < 0.4),
    "region": RNG.choice(["north", "south", "west"], SIZE, p=[0.9, 0.09, 0.01]),
}
# Nearly all rows are in one partition, and two have none.
ENDS = [0, 0, 10, 11, 1_900, 1_900, SIZE]


def _expected() -> br.Report:
    frame = pd.DataFrame(COLUMNS)
    return br.evaluate(frame["y"], frame[["tree", "knn"]], by=frame["region"])


def _evaluate(frame: Any) -> br.Report:
    return br.evaluate(frame, truth="y", predictions=["tree", "knn"], by="region")


def _compare(frame: Any) -> br.Comparison:
    return br.compare(frame, ["tree", "knn"], "F1", truth="y", by="region")


def _parts() -> list[pd.DataFrame]:
    frame = pd.DataFrame(COLUMNS)
    return [frame.iloc[start:end] for start, end in pairwise(ENDS)]


@pytest.fixture(scope="module")
def cluster() -> Iterator[Any]:
    """A Dask cluster of two processes."""
    from dask.distributed import Client, LocalCluster

    with (
        LocalCluster(
            n_workers=2, threads_per_worker=1, dashboard_address=None, host="127.0.0.1"
        ) as workers,
        Client(workers) as client,
    ):
        yield client


@pytest.mark.skipif(bool(NO_DASK), reason=NO_DASK)
def test_dask_cluster(cluster: Any) -> None:
    """Skewed and empty partitions do not matter, and the scheduler receives one graph."""
    import dask.dataframe as dd
    from dask.delayed import delayed
    from distributed.diagnostics.plugin import SchedulerPlugin

    class Graphs(SchedulerPlugin):
        """Count what the scheduler is asked to compute."""

        def __init__(self) -> None:
            self.count = 0

        def update_graph(self, *_: Any, **__: Any) -> None:
            self.count += 1

    parts = _parts()
    frame = dd.from_delayed([delayed(part) for part in parts], meta=parts[1])
    assert frame.npartitions == 6
    cluster.register_plugin(Graphs(), name="graphs")
    report = _evaluate(frame)
    comparison = _compare(frame)
    graphs = cluster.run_on_scheduler(lambda dask_scheduler: dask_scheduler.plugins["graphs"].count)
    assert report == _expected()
    assert comparison == _compare(pd.DataFrame(COLUMNS))
    assert graphs == 2
    assert len(cluster.nthreads()) == 2


@pytest.mark.skipif(bool(NO_SPARK), reason=NO_SPARK)
def test_spark() -> None:
    """Skewed and empty partitions make no difference, and Spark's own store has one query more."""
    from pyspark.sql.functions import spark_partition_id

    spark = spark_session()
    rows = list(zip(*(column.tolist() for column in COLUMNS.values()), strict=True))
    frame = spark.createDataFrame(rows, list(COLUMNS)).repartition(6, "region").cache()
    sizes = [row["count"] for row in frame.groupBy(spark_partition_id()).count().collect()]
    assert frame.rdd.getNumPartitions() == 6
    assert len(sizes) <= 3  # one for each region, perhaps: the others have no rows
    assert max(sizes) > 0.85 * SIZE
    before = _queries(spark)
    assert _evaluate(frame) == _expected()
    assert _queries(spark) - before == 1
    assert _compare(frame) == _compare(pd.DataFrame(COLUMNS))
    assert _queries(spark) - before == 2
    frame.unpersist()


@pytest.mark.skipif(bool(NO_SPARK), reason=NO_SPARK)
def test_spark_runs_one_job() -> None:
    """Adaptive execution runs each stage as a job; without it there is one job."""
    spark = spark_session()
    frame = spark.createDataFrame([(1, 1, 0, "a"), (0, 1, 0, "b")], list(COLUMNS))
    adaptive = spark.conf.get("spark.sql.adaptive.enabled")
    spark.conf.set("spark.sql.adaptive.enabled", "false")
    try:
        spark.sparkContext.setJobGroup("evaluate", "one evaluation")
        _evaluate(frame)
        spark.sparkContext._jsc.sc().listenerBus().waitUntilEmpty()
        jobs = spark.sparkContext.statusTracker().getJobIdsForGroup("evaluate")
    finally:
        spark.conf.set("spark.sql.adaptive.enabled", adaptive)
        spark.sparkContext._jsc.clearJobGroup()
    assert len(jobs) == 1


def _queries(spark: Any) -> int:
    """Return how many queries Spark has run, from its own list of executions."""
    spark.sparkContext._jsc.sc().listenerBus().waitUntilEmpty()
    return int(spark._jsparkSession.sharedState().statusStore().executionsCount())
