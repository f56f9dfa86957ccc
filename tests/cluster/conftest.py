"""One small cluster for all tests of a session: a scheduler here, and two workers in processes of their own."""

import sys
import warnings
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))  # what tests of clusters share lies beside them


@pytest.fixture(scope="session")
def cluster():
    """Return a cluster of two workers on this machine."""
    pytest.importorskip("distributed", reason="Dask distributed is not installed: pip install 'ludwin[cluster]'")
    from ludwin.cluster.opening import Wish, opened

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of Dask's own
        with opened(Wish("local:2"), lambda line: None) as found:
            yield found


@pytest.fixture
def crew(cluster):
    """Return the cluster as a number of workers."""
    from ludwin.spread import Crew

    return Crew(1, cluster)
