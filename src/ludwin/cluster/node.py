"""What runs on a worker of a cluster: an errand in texts, and the answer in a text.

Why it is here.  Dask names this function and imports it on both sides; what it is given and gives back are texts, so a
task never raises, and nothing of ours is pickled but strings.  An answer is one of: results with the seconds they
took; `need`, if the worker has not seen the common text yet (it is then sent once, and kept); `refused`, if this
machine is of another class than the coordinator; `error`, a mistake that the same part would make anywhere.
"""

import json
import os
import sys
import threading
from collections import OrderedDict
from typing import Any

from ludwin.cluster.arithmetic import about, class_of
from ludwin.errors import LudwinError
from ludwin.formats import decode
from ludwin.spread import done, mark_of

REFUSED = 3  # exit status of a worker that was sent away
CALLED_OUT = 2048  # letters of an answer that is called out
KEPT = 64  # common texts that a worker keeps

_commons: "OrderedDict[str, str]" = OrderedDict()


def work(address: tuple[str, str], errand: tuple[str, bool, str, str], common: str | None, parts: str) -> str:
    """Do parts of an errand, all in texts; a short answer is called out, which saves the coordinator from fetching it.

    `address` is the topic and the key under which the coordinator hears of it, `errand` the class of machines that is
    wanted, whether any arithmetic will do, the name of the errand and the mark of its common text.
    """
    answer = answered(*errand, common, parts)
    if len(answer) > CALLED_OUT:
        return answer
    from distributed import get_worker

    get_worker().log_event(address[0], [address[1], answer])
    return ""


def answered(wanted: str, accept: bool, name: str, mark: str, common: str | None, parts: str) -> str:
    """Return the answer to parts of an errand."""
    if class_of(about(), accept) != wanted:
        return json.dumps({"refused": describe()})
    if common is not None and mark_of(common) == mark:
        _commons[mark] = common
        while len(_commons) > KEPT:
            _commons.popitem(last=False)
    if mark not in _commons:
        return json.dumps({"need": mark})
    try:
        results, seconds = done(name, _commons[mark], decode(parts))
        return json.dumps({"results": results, "seconds": seconds}, ensure_ascii=False, separators=(",", ":"))
    except LudwinError as error:
        return json.dumps({"error": str(error)})
    except Exception as error:
        place = ""
        trace = error.__traceback__
        while trace is not None:
            place = f"{os.path.basename(trace.tb_frame.f_code.co_filename)}:{trace.tb_lineno}"
            trace = trace.tb_next
        return json.dumps({"error": f"a worker failed: {type(error).__name__}: {error} ({place})"})


def describe() -> dict[str, Any]:
    """Return who this machine is, and which process; a plain `dask worker` can be asked, too."""
    return {**about(), "pid": os.getpid()}


def dismiss(reason: str) -> None:
    """Send this worker away: it says why, and its keeper does not call it back."""
    print(f"ludwin: refused by the coordinator: {reason}", file=sys.stderr, flush=True)
    threading.Timer(0.2, os._exit, (REFUSED,)).start()
