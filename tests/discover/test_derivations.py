"""Derivations: found, checked by somebody else, refused when they are wrong."""

import copy
import json

import pytest

from ludwin.discover.checker import RefusedProof, recheck
from ludwin.discover.derivation import BadDerivation, from_json, load
from ludwin.discover.paper import section3, section4, without_positions
from ludwin.discover.problems import PROBLEMS, UnknownProblem, discover
from ludwin.discover.syntax import parse_clause
from ludwin.errors import BadParameter

pytestmark = pytest.mark.thorough

pytest.importorskip("z3", reason="sums need z3: pip install 'ludwin[discover]'")
FOUND = [
    "beta-cut",
    "nega-alpha-beta",
    "alpha-beta",
    "alternating",
    "win-loss",
    "fail-soft",
    "scout",
    "table",
    "star1",
    "branch-and-bound",
    "maxn",
]

PAPER = {
    7: "maxeval(A) :- mineval(B), maxeval(B1), maxeval(C1), mini(B1,C1,C), maxi(B,C,A).",
    8: "maxeval(A) :- mineval(B), maxeval(B1), maxeval(C1), B1 <= C1, maxi(B,B1,A).",
    9: "maxeval(A) :- mineval(B), maxeval(B1), maxeval(C1), C1 <= B1, maxi(B,C1,A).",
    10: "maxeval(B) :- mineval(B), maxeval(B1), maxeval(C1), B1 <= C1, B >= B1.",
    11: "maxeval(B1) :- mineval(B), maxeval(B1), maxeval(C1), B1 <= C1, B1 >= B.",
    12: "maxeval(B) :- mineval(B), maxeval(B1), maxeval(C1), C1 <= B1, B >= C1.",
    13: "maxeval(C1) :- mineval(B), maxeval(B1), maxeval(C1), C1 <= B1, C1 >= B.",
    14: "maxeval(B) :- mineval(B), maxeval(B1), B >= B1, maxeval(C1), B1 <= C1.",
    15: "maxeval(B) :- mineval(B), maxeval(B1), maxeval(C1), B >= C1, C1 <= B1.",
    16: "maxeval(B) :- mineval(B), maxeval(B1), B < B1, maxeval(C1), B >= C1, C1 <= B1.",
    17: "maxeval(B) :- mineval(B), maxeval(B1), B >= B1, maxeval(C1), B >= C1, C1 <= B1.",
    18: "maxeval(B) :- mineval(B), maxeval(B1), B >= B1, maxeval(C1), C1 <= B1.",
    19: "maxeval(B) :- mineval(B), maxeval(B1), B >= B1, maxeval(C1).",
    20: "maxeval(B) :- mineval(B), maxeval(B1), B >= B1.",
    21: "maxeval(Res) :- mineval(B), maxeval(B1), maxeval(B,B1,Res).",
    22: "maxeval(B,B1,B) :- B >= B1.",
    23: "maxeval(B,B1,Res) :- maxeval(C1), maxeval(B,B1,C1,Res), B < B1.",  # the guard is missing in the paper
    24: "maxeval(B,B1,C1,B) :- B < B1, B >= C1.",  # C1 <= B1 follows
    25: "maxeval(B,B1,C1,B1) :- B1 <= C1, B1 > B.",  # the paper has B1 >= B: there 22 answers already
    26: "maxeval(B,B1,C1,C1) :- C1 <= B1, C1 >= B, B1 > B.",
}


@pytest.fixture(scope="module")
def found():
    return {name: discover(name) for name in FOUND}


def test_section_3_of_the_paper_is_replayed_clause_by_clause():
    replay = section3()
    for number, text in PAPER.items():
        assert without_positions(replay.clauses[number]) == without_positions(parse_clause(text)), number
    assert recheck(replay.derivation.to_json()) == len(replay.derivation.steps)


def test_section_4_of_the_paper_is_replayed_to_clause_19():
    replay = section4()
    assert set(range(8, 20)) - {11} <= set(replay.clauses)
    calls = [goal.name for goal in replay.clauses[18].goals if goal.name == "maxmovelist"]
    assert (
        len(calls) == 2 and [goal.name for goal in replay.clauses[19].goals].count("maxmovelist") == 1
    )  # Eval7 is gone
    assert recheck(replay.derivation.to_json()) == 22


@pytest.mark.parametrize("name", FOUND)
def test_every_derivation_holds_after_saving_and_loading(found, name, tmp_path):
    derivation = found[name].derivation
    derivation.save(tmp_path / "d.json")
    again = load(tmp_path / "d.json")
    assert again.steps == derivation.steps and set(again.result.clauses) == set(derivation.result.clauses)
    assert json.loads((tmp_path / "d.json").read_text())["format"] == "ludwin-derivation"
    assert again.proof() == derivation.proof()


def test_the_same_seed_finds_the_same(found):
    assert discover("beta-cut").derivation == found["beta-cut"].derivation
    assert discover("alpha-beta").derivation == found["alpha-beta"].derivation


@pytest.mark.parametrize(("moves", "most"), [("split-join", 20), ("unfold-split-join", 300)])
def test_the_beta_cut_is_found_among_few_programs(moves, most):
    outcome = discover("beta-cut", moves=moves, max_states=most)
    assert outcome.derivation is not None and outcome.states <= most
    assert outcome.cost[0] < outcome.cost[1]


def test_best_first_finds_the_beta_cut_too():
    assert discover("beta-cut", strategy="best-first", max_states=300).derivation is not None


@pytest.mark.slow
def test_the_beta_cut_is_found_atomically_among_60000_programs():
    outcome = discover("beta-cut", moves="atomic", max_states=60_000)
    assert outcome.derivation is not None and outcome.duplicates > 0


def test_a_search_that_fails_says_how_near_it_came():
    outcome = discover("alpha-beta", moves="split-join", max_states=60)
    assert outcome.derivation is None and "wanted" in outcome.message and "60 programs" in outcome.message


def test_deep_pruning_for_three_players_cannot_be_proved():
    outcome = discover("maxn-deep")  # oracle: Korf (1991), only shallow pruning is valid
    assert outcome.derivation is None and "for example" in outcome.message


def test_alternating_minimax_closes_at_sixteen_predicates(found):
    assert found["alternating"].states == 16  # oracle: the prototype of the specification


# deliberately unsound steps


def _wrong(data, rule, change):
    data = copy.deepcopy(data)
    step = next(s for s in data["steps"] if s["rule"] == rule)
    change(step)
    return data


def test_forgetting_the_leaf_resolvent_is_caught(found):
    data = found["beta-cut"].derivation.to_json()
    with pytest.raises(RefusedProof, match=r"step 1 \(unfold\) is not sound"):
        recheck(_wrong(data, "unfold", lambda s: s["added"].pop(0)))


def test_an_inexact_join_is_caught(found):
    data = found["beta-cut"].derivation.to_json()
    with pytest.raises(RefusedProof, match=r"\(join\) is not sound"):
        recheck(_wrong(data, "join", lambda s: s["added"].__setitem__(0, s["added"][0].replace(", B >= B1", ""))))


def test_dropping_a_goal_that_may_fail_is_caught(found):
    data = found["beta-cut"].derivation.to_json()
    with pytest.raises(RefusedProof, match=r"\(unlinked\) is not sound"):
        recheck(_wrong(data, "unlinked", lambda s: s["added"].__setitem__(0, s["added"][0].replace("inner(R), ", ""))))


def test_dropping_a_goal_whose_result_is_read_is_caught(found):
    data = found["beta-cut"].derivation.to_json()
    with pytest.raises(RefusedProof, match="nothing gives B a value"):
        recheck(_wrong(data, "unlinked", lambda s: s["added"].__setitem__(0, s["added"][0].replace("min(L,B), ", ""))))


def test_a_cut_at_the_wrong_bound_is_caught(found):
    data = found["alpha-beta"].derivation.to_json()
    wrong = copy.deepcopy(data)
    step = next(s for s in wrong["steps"] if s["rule"] == "replace" and "later calls do not matter" in s["because"])
    step["added"][0] = (
        step["added"][0].replace("least_lo([C|Cs1],A,A)", "least_lo([C|Cs1],A,W1)").replace("A >= W1", "A <= W1")
    )
    with pytest.raises(RefusedProof, match="is not sound"):
        recheck(wrong)


def test_a_window_that_is_too_narrow_is_caught(found):
    data = found["fail-soft"].derivation.to_json()
    wrong = copy.deepcopy(data)
    wrong["steps"][-1]["added"] = [
        text.replace("L is max(A,M)", "L is max(B,M)") for text in wrong["steps"][-1]["added"]
    ]
    with pytest.raises(RefusedProof, match=r"\(refine\) is not sound"):
        recheck(wrong)


def test_a_table_entry_that_promises_too_much_is_caught(found):
    data = found["table"].derivation.to_json()
    wrong = copy.deepcopy(data)
    wrong["steps"][-1]["added"] = [
        text.replace("learned(P,A,B,R,-inf,R)", "learned(P,A,B,R,R,R)") for text in wrong["steps"][-1]["added"]
    ]
    with pytest.raises(RefusedProof, match="it does not follow that"):
        recheck(wrong)


def test_a_program_that_runs_in_a_circle_is_caught():
    text = [":- pred p(in:position, out:number) is total.", "p(P,V) :- p(P,V)."]
    data = {
        "format": "ludwin-derivation",
        "version": 1,
        "problem": "x",
        "entry": "p",
        "seed": text,
        "steps": [],
        "result": text,
        "notes": {},
    }
    with pytest.raises(RefusedProof, match="the recursion of p has no argument that always gets smaller"):
        recheck(data)


def test_a_result_that_the_steps_do_not_reach_is_refused(found):
    data = found["beta-cut"].derivation.to_json()
    data["result"] = data["seed"]
    with pytest.raises(BadDerivation, match="do not lead to the result"):
        from_json(data)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("{}", "begins with its format"),
        ("no json", "this is no derivation"),
        ('{"format": "ludwin-derivation", "version": 9}', "version 9"),
    ],
)
def test_a_file_that_is_no_derivation_is_refused_in_one_line(tmp_path, text, message):
    (tmp_path / "x.json").write_text(text)
    with pytest.raises(BadDerivation, match=message):
        load(tmp_path / "x.json")


def test_misuse_is_told():
    with pytest.raises(UnknownProblem, match="did you mean 'beta-cut'"):
        discover("betacut")
    with pytest.raises(BadParameter, match="found by closure"):
        discover("scout", moves="atomic")
    assert set(FOUND) < set(PROBLEMS)


def test_the_checker_shares_no_code_with_the_search():
    import ast
    from pathlib import Path

    import ludwin.discover.checker

    allowed = {
        "ast",
        "collections.abc",
        "dataclasses",
        "fractions",
        "itertools",
        "json",
        "re",
        "time",
        "typing",
        "z3",
        "cvc5",
        "ludwin.errors",
    }
    files = sorted(Path(ludwin.discover.checker.__file__).parent.glob("*.py"))
    assert len(files) >= 12
    for file in files:
        for node in ast.walk(ast.parse(file.read_text())):
            names = (
                [a.name for a in node.names]
                if isinstance(node, ast.Import)
                else [node.module]
                if isinstance(node, ast.ImportFrom)
                else []
            )
            for name in names:
                assert name in allowed or name.startswith("ludwin.discover.checker"), f"{file.name} imports {name}"


def test_what_is_found_does_not_depend_on_what_the_process_did_before(found):
    import subprocess
    import sys

    code = (
        "import json; from ludwin.discover.problems import discover; print(json.dumps(discover('beta-cut', "
        "moves='unfold-split-join').derivation.to_json()))"
    )
    fresh = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert json.loads(fresh) == discover("beta-cut", moves="unfold-split-join").derivation.to_json()
