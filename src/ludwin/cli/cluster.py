"""The command `cluster`: make keys, and look who is there and whether they fit."""

import argparse
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ludwin.cluster.engine import Cluster

EXAMPLES = (
    ("ludwin cluster keys ludwin-keys", "keys for all machines of a cluster, in a new folder"),
    ("ludwin cluster check", "versions and arithmetic of this machine"),
    ("ludwin cluster check tls://head:8786 --keys ludwin-keys", "who is there, and who does not fit"),
)
WORDS = ("check", "keys")


def add(parser: argparse.ArgumentParser) -> None:
    """Take what to do, and where."""
    parser.add_argument("what", metavar="check|keys", choices=WORDS, help="check: who is there; keys: make keys")
    parser.add_argument("where", metavar="ADDRESS|DIR", nargs="?", help="a scheduler to ask, or a new folder for keys")
    parser.add_argument("--keys", metavar="DIR", help="keys of the cluster")
    parser.add_argument("--insecure", action="store_true", help="plain TCP beyond this machine")
    parser.add_argument("--wait", type=float, default=3.0, metavar="SECONDS", help="for workers to come (default: 3)")


def run(options: argparse.Namespace) -> int:
    """Make keys, or look who is there."""
    from pathlib import Path

    from ludwin.cli.common import print_json
    from ludwin.cluster.arithmetic import about
    from ludwin.cluster.keys import make_keys
    from ludwin.errors import BadParameter

    if options.what == "keys":
        if not options.where:
            raise BadParameter("`ludwin cluster keys DIR` wants a new folder for the keys")
        folder = make_keys(Path(options.where))
        if options.json:
            print_json({"keys": str(folder)})
        else:
            print(f"{folder} holds the keys; copy it to every machine (mode 700), and give --keys {folder}")
        return 0
    if options.where:
        return _check(options)
    if options.json:
        print_json(about())
        return 0
    machine = about()
    print(f"{machine['host']}: {machine['cores']} cores, {machine['processor']}, {machine['library']}")
    print("  " + ", ".join(f"{name} {version}" for name, version in machine["versions"].items()))
    print(f"  arithmetic {machine['arithmetic']}")
    return 0


def _check(options: argparse.Namespace) -> int:
    """Ask a scheduler's workers who they are; 1 if somebody does not fit."""
    import time
    from pathlib import Path

    from ludwin.cli.common import print_json, print_table, say
    from ludwin.cluster.opening import Wish, opened

    wish = Wish(options.where, Path(options.keys) if options.keys else None, options.insecure, accept=True)
    with opened(wish, say) as cluster:
        until = time.monotonic() + options.wait
        known = -1
        while time.monotonic() < until and (not cluster.workers or len(cluster.workers) != known):
            known = len(cluster.workers)
            time.sleep(1.0)
        told = _told(cluster)
    if options.json:
        print_json(told)
    else:
        rows = [
            [str(row[key]) for key in ("host", "cores", "processor", "library", "arithmetic")] + [row["why"] or "fits"]
            for row in told["hosts"]
        ]
        columns = ["host", "workers", "processor", "library", "arithmetic", ""]
        print_table(f"{options.where}", columns, rows, right=(1,))
        pace = f"a task takes {told['latency_ms']:.1f} ms there and back, {told['rate']:.0f} a second"
        print(f"{told['cores']} workers; {pace}")
    return 0 if told["fits"] else 1


def _told(cluster: "Cluster") -> dict[str, Any]:
    """Return all hosts with what they are, and how fast tasks go there and back."""
    import time

    from ludwin.cluster.arithmetic import about, differences
    from ludwin.cluster.errands import NAP
    from ludwin.spread import in_order

    mine, hosts = about(), dict[tuple[str, str, str], dict[str, Any]]()
    for machine in list(cluster.workers.values()):
        key = (machine["host"], machine["arithmetic"], str(machine["versions"]))
        row = hosts.setdefault(
            key, {**{k: v for k, v in machine.items() if k not in ("busy", "pid", "hashes")}, "cores": 0}
        )
        row["cores"] += 1
        row["why"] = differences(mine, machine)
    refused = [{"host": reason.partition(":")[0], "cores": 0, "why": reason} for reason in cluster.status()["refused"]]
    blank = dict.fromkeys(("processor", "library", "arithmetic"), "")
    rows = [*hosts.values(), *({**blank, **one} for one in refused)]
    latency = rate = 0.0
    if cluster.workers:
        list(in_order(cluster, NAP, {}, [0.0] * len(cluster.workers)))
        began = time.perf_counter()
        for _ in range(10):
            list(in_order(cluster, NAP, {}, [0.0]))
        latency = (time.perf_counter() - began) / 10
        began, count = time.perf_counter(), 100
        list(in_order(cluster, NAP, {"alone": True}, [0.0] * count))
        rate = count / (time.perf_counter() - began)
    fits = bool(hosts) and all(not row["why"] for row in rows)
    return {
        "fits": fits,
        "cores": len(cluster.workers),
        "hosts": rows,
        "latency_ms": round(1000 * latency, 3),
        "rate": round(rate, 1),
    }
