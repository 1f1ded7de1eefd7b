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

SIZE = 600
RNG = np.random.default_rng(3)
TRUTH = (RNG.random(SIZE) < 0.3).astype(int)
TREE, KNN = (TRUTH ^ (RNG.random(SIZE) < share) for share in (0.2, 0.4))
FRAME = pd.DataFrame(
    {
        "y": TRUTH,
        "tree": TREE,
        "knn": KNN,
        "region": RNG.choice(["north", "south", "west"], SIZE, p=[0.9, 0.09, 0.01]),
        "score": RNG.random(SIZE).round(2) + TRUTH,
        "votes": RNG.integers(0, 6, SIZE),
        "kind": RNG.choice(["a", "b", "c"], SIZE),
        "guess": RNG.choice(["a", "b", "c"], SIZE),
        "gap": np.where(np.arange(SIZE) % 7 == 0, None, TREE.astype(float)).tolist(),
    }
)
# The truth, the models, a measure, options, and how many queries there are at most.
CASES: dict[str, tuple[str, list[str], str, dict[str, Any], int]] = {
    "labels": ("y", ["tree", "knn"], "ACC", {"by": "region"}, 1),
    "gaps": ("y", ["gap", "knn"], "ACC", {"missing": "drop"}, 3),
    "classes": ("kind", ["guess"], "accuracy", {"by": "region"}, 3),
    "scores": ("y", ["score", "votes"], "AUC", {"by": "region"}, 4),
    "numbers": ("score", ["votes"], "MAE", {}, 4),
    "weights": ("y", ["tree"], "ACC", {"sample_weight": "votes", "weights": "frequency"}, 4),
}
# Nearly all rows are in one partition, and two have none.
ENDS = [0, 0, 10, 11, 570, 570, SIZE]


def _evaluate(frame: Any, case: str) -> br.Report:
    truth, models, measure, options, _ = CASES[case]
    return br.evaluate(frame, models, measure, truth=truth, **options)


def _compare(frame: Any) -> br.Comparison:
    return br.compare(frame, ["tree", "knn"], "ACC", truth="y", by="region")


@pytest.fixture(scope="module")
def cluster() -> Iterator[Any]:
    """A Dask cluster of two processes."""
    from dask.distributed import Client, LocalCluster

    with (
        LocalCluster(
            n_workers=2, threads_per_worker=1, dashboard_address="127.0.0.1:0", host="127.0.0.1"
        ) as workers,
        Client(workers) as client,
    ):
        yield client


@pytest.mark.skipif(bool(NO_DASK), reason=NO_DASK)
def test_dask_cluster(cluster: Any) -> None:
    """Skewed and empty partitions do not matter, and the scheduler receives one graph a call."""
    import dask.dataframe as dd
    from dask.delayed import delayed
    from distributed.diagnostics.plugin import SchedulerPlugin

    class Graphs(SchedulerPlugin):
        """Count what the scheduler is asked to compute."""

        def __init__(self) -> None:
            self.count = 0

        def update_graph(self, *_: Any, **__: Any) -> None:
            self.count += 1

    parts = [FRAME.iloc[start:end] for start, end in pairwise(ENDS)]
    frame = dd.from_delayed([delayed(part) for part in parts], meta=parts[1])
    assert (frame.npartitions, len(cluster.nthreads())) == (6, 2)
    cluster.register_plugin(Graphs(), name="graphs")
    report, comparison = _evaluate(frame, "labels"), _compare(frame)
    graphs = cluster.run_on_scheduler(lambda dask_scheduler: dask_scheduler.plugins["graphs"].count)
    assert graphs == 2
    assert comparison == _compare(FRAME)
    assert report == _evaluate(FRAME, "labels")
    for case in CASES:
        assert _evaluate(frame, case) == _evaluate(FRAME, case), case


@pytest.mark.skipif(bool(NO_SPARK), reason=NO_SPARK)
def test_spark() -> None:
    """Skewed and empty partitions make no difference, and Spark's own store counts the queries."""
    from pyspark.sql.functions import spark_partition_id

    spark = spark_session()
    rows = [tuple(row) for row in FRAME.astype(object).where(FRAME.notna(), None).to_numpy()]
    frame = spark.createDataFrame(rows, list(FRAME)).repartition(6, "region").cache()
    sizes = [row["count"] for row in frame.groupBy(spark_partition_id()).count().collect()]
    assert frame.rdd.getNumPartitions() == 6
    assert len(sizes) <= 3  # one for each region, perhaps: the others have no rows
    assert max(sizes) > 0.85 * SIZE
    for case, (*_, queries) in CASES.items():
        before = _queries(spark)
        found = _evaluate(frame, case)  # whose rows come in another order
        assert [*map(str, found)] == [*map(str, _evaluate(FRAME, case))], case
        assert 1 <= _queries(spark) - before <= queries, case
    before = _queries(spark)
    assert _compare(frame) == _compare(FRAME)
    assert _queries(spark) - before == 1
    frame.unpersist()


def _queries(spark: Any) -> int:
    """Return how many queries Spark has run, from its own list of executions."""
    spark.sparkContext._jsc.sc().listenerBus().waitUntilEmpty()
    return int(spark._jsparkSession.sharedState().statusStore().executionsCount())
