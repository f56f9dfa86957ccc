"""The checker: old and new files, the printed theorem, a second solver, a proof assistant, mutants, and agents that
compare before they play.
"""

import importlib.util
import json
import shutil
import subprocess
from pathlib import Path
from random import Random

import pytest

from ludwin import AlphaBeta, load
from ludwin.cli import main
from ludwin.discover.agent import Derived, read
from ludwin.discover.checker import RefusedProof, smt, verify
from ludwin.discover.checker.order import impossible
from ludwin.discover.coq import coq_text
from ludwin.discover.derivation import BadDerivation, from_json
from ludwin.discover.derivation import load as load_derivation
from ludwin.discover.problems import FOLDER, discover
from ludwin.errors import CannotPlay
from ludwin.search.minimax import Minimax

pytestmark = pytest.mark.thorough

HERE = Path(__file__).parent / "fixtures"
OLD = sorted((HERE / "version1").glob("*.json"))
NEW = sorted((HERE / "version2").glob("*.json"))
NAMES = [path.stem for path in NEW]
z3 = pytest.mark.skipif("z3" not in smt.solvers(), reason="z3 is not installed: pip install 'ludwin[discover]'")
cvc5 = pytest.mark.skipif("cvc5" not in smt.solvers(), reason="cvc5 is not installed: pip install 'ludwin[discover]'")
coq = pytest.mark.skipif(
    shutil.which("coqc") is None, reason="coqc is not installed (Debian: apt install coq, about 1 GB)"
)


def data(name, version=2):
    return json.loads((HERE / f"version{version}" / f"{name}.json").read_text(encoding="utf8"))


# files


def test_there_is_a_file_of_every_shipped_kind_and_format():
    assert len(OLD) == len(NEW) == 11 and {d["version"] for d in map(data, NAMES)} == {2}


@z3
@pytest.mark.parametrize("path", OLD, ids=lambda p: p.stem)
def test_a_file_of_the_first_version_still_opens(path):
    found = from_json(json.loads(path.read_text(encoding="utf8")))
    assert found.proof(steps=True)
    if path.stem == "branch-and-bound":  # it supposed nothing of the costs, and gave nan where they are infinite
        with pytest.raises(BadDerivation, match="an infinity plus its opposite"):
            load_derivation(path)
    else:
        assert load_derivation(path) == found


@z3
@pytest.mark.parametrize("path", NEW, ids=lambda p: p.stem)
def test_a_file_of_the_second_version_states_what_is_verified(path):
    told = json.loads(path.read_text(encoding="utf8"))
    statement = verify(told).statement
    assert list(statement.axioms) == told["axioms"] and list(statement.theorem) == told["theorem"]


@z3
@pytest.mark.parametrize("name", NAMES)
def test_what_is_found_today_is_what_is_kept(name):
    found = discover(name).derivation
    assert found.to_json(found.verify().statement) == data(name)


def test_replay_prints_the_theorem_with_its_axioms_and_what_is_not_proved(capsys):
    assert main(["derivation", str(HERE / "version2" / "alpha-beta.json"), "--replay"]) == 0
    out = capsys.readouterr().out
    for line in (
        "alpha-beta: 73 steps hold",
        "Axioms (believed, not proved):",
        "exactly one of leaf, inner holds",
        "Definitions (the plain functions):",
        "value_lo_hi(P,A,B,V) :- value(P,Y), V is max(A,min(B,Y)).",
        "Theorem (verified):",
        "derived value(P,V): for all position P it ends with one answer, that of plain value(P,V)",
        "derived value_lo_hi(P,A,B,V): for all position P, number A, number B where A < B it ends with one answer, "
        "that of plain value_lo_hi(P,A,B,V)",
        "Not proved:",
    ):
        assert line in out
    assert main(["derivation", str(HERE / "version2" / "fail-soft.json"), "--replay", "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert told["holds"] and "R > A or V <= R" in told["theorem"][0] and told["axioms"] and told["unproved"]


def test_a_refusal_is_one_line_and_exit_code_1(tmp_path, capsys):
    wrong = data("alpha-beta")
    wrong["theorem"] = ["alpha-beta is the best search there is"]
    (tmp_path / "wrong.json").write_text(json.dumps(wrong))
    assert main(["derivation", str(tmp_path / "wrong.json"), "--replay"]) == 1
    err = capsys.readouterr().err
    assert err.count("\n") == 1 and "states theorem other than what was verified" in err


def test_a_file_of_wrong_types_is_one_line_and_exit_code_2(tmp_path, capsys):
    for broken in (
        [],
        {"format": "ludwin-derivation"},
        {**data("alpha-beta"), "steps": [{"rule": []}]},
        {**data("alpha-beta"), "seed": [3]},
    ):
        (tmp_path / "wrong.json").write_text(json.dumps(broken))
        assert main(["derivation", str(tmp_path / "wrong.json")]) == 2
        err = capsys.readouterr().err
        assert err.startswith("ludwin: wrong.json: ") and err.count("\n") == 1


def test_a_mutant_that_is_only_opened_never_crashes():
    """Printing a file that nobody verified must not end in a traceback either."""
    mutants, rng, seen = _mutants(), Random(11), {True: 0, False: 0}
    bases = {name: mutants.base(name) for name in ("alpha-beta", "fail-soft", "nega-alpha-beta", "beta-cut")}
    for _ in range(150):
        broken, _ = mutants.mutate(rng, bases[rng.choice(list(bases))])
        broken.pop("renamed", None)
        try:
            from_json(broken).proof(steps=True)
            seen[True] += 1
        except BadDerivation as error:
            seen[False] += 1
            assert "\n" not in str(error)
    assert min(seen.values()) > 20


def _mutants():
    spec = importlib.util.spec_from_file_location("mutate", Path(__file__).parent / "mutate.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


# deciding


def test_cases_over_orders_agree_with_trying_all_small_numbers():
    """Oracle: three numbers, their negatives and the constants 0, 1 and the infinities, tried on a grid that shows all
    orders.
    """
    import itertools
    import math
    from fractions import Fraction

    rng = Random(0)
    grid = (-math.inf, -3, -2, -1, -0.75, -0.5, -0.25, 0, 0.25, 0.5, 0.75, 1, 2, 3, math.inf)
    leaves = [
        ("arg", 0),
        ("arg", 1),
        ("num", Fraction(0)),
        ("num", Fraction(1)),
        ("inf", 1),
        ("inf", -1),
        ("~", ("arg", 0)),
        ("~", ("arg", 1)),
    ]

    def value(depth):
        if depth and rng.random() < 0.4:
            return (rng.choice(("max", "min")), value(depth - 1), value(depth - 1))
        return rng.choice(leaves)

    def formula(depth):
        if depth and rng.random() < 0.7:
            return (rng.choice(("and", "or")), tuple(formula(depth - 1) for _ in range(rng.randint(1, 3))))
        return (rng.choice((">=", ">", "=", "!=")), value(1), value(1))

    def number(v, point):
        match v[0]:
            case "arg":
                return point[v[1]]
            case "num":
                return float(v[1])
            case "inf":
                return v[1] * math.inf
            case "~":
                return -number(v[1], point)
        return {"max": max, "min": min}[v[0]](number(v[1], point), number(v[2], point))

    def holds(f, point):
        if f[0] in ("and", "or"):
            return {"and": all, "or": any}[f[0]](holds(part, point) for part in f[1])
        x, y = number(f[1], point), number(f[2], point)
        return {">=": x >= y, ">": x > y, "=": x == y, "!=": x != y}[f[0]]

    seen = {True: 0, False: 0}
    for _ in range(1500):
        made = formula(3)
        possible = any(holds(made, point) for point in itertools.product(grid, repeat=2))
        assert impossible(made) == (not possible), made
        seen[possible] += 1
    assert min(seen.values()) > 100


@z3
@cvc5
@pytest.mark.parametrize("name", ["alpha-beta", "nega-alpha-beta", "fail-soft", "branch-and-bound"])
def test_two_solvers_confirm_every_obligation_from_its_file(name):
    obligations = verify(data(name)).obligations
    assert len(obligations) > 20
    for obligation in obligations:
        assert [smt.ask(obligation.script(), solver) for solver in ("z3", "cvc5")] == ["unsat", "unsat"], (
            obligation.title
        )


@pytest.mark.slow
@z3
@cvc5
@pytest.mark.parametrize("name", NAMES)
def test_two_solvers_confirm_every_obligation_of_every_derivation(name):
    for obligation in verify(data(name)).obligations:
        assert [smt.ask(obligation.script(), solver) for solver in ("z3", "cvc5")] == ["unsat", "unsat"], (
            obligation.title
        )


@z3
@cvc5
def test_solvers_do_not_confirm_what_is_false():
    for wanted in (("=", ("arg", 0), ("arg", 1)), ("sum", ("arg", 0), ("arg", 1)), (">", ("inf", 1), ("arg", 0))):
        text = smt.script([(">=", ("arg", 0), ("arg", 1))], wanted, "false")
        assert smt.ask(text, "z3") == smt.ask(text, "cvc5") == "sat"


def test_obligations_are_exported_as_closed_files(tmp_path, capsys):
    assert main(["derivation", str(HERE / "version2" / "fail-soft.json"), "--smt", str(tmp_path / "smt")]) == 0
    files = sorted((tmp_path / "smt").glob("*.smt2"))
    assert f"wrote {len(files)} files" in capsys.readouterr().out and len(files) == len(
        verify(data("fail-soft")).obligations
    )
    assert all(f.read_text().count("(check-sat)") == 1 for f in files)


@coq
@pytest.mark.parametrize("name", ["alpha-beta", "alternating"])
def test_coq_accepts_the_whole_induction(name, tmp_path):
    assert main(["derivation", str(HERE / "version2" / f"{name}.json"), "--coq", str(tmp_path / "proof.v")]) == 0
    run = subprocess.run(["coqc", "proof.v"], cwd=tmp_path, capture_output=True, text=True, timeout=300, check=False)
    assert run.returncode == 0 and "Closed under the global context" in run.stdout, run.stderr


@coq
def test_coq_does_not_accept_a_wrong_cut(tmp_path):
    text = coq_text(from_json(data("alpha-beta")))
    assert text.count("if nW1 <=? A then A") == 2
    (tmp_path / "proof.v").write_text(text.replace("if nW1 <=? A then A", "if A <=? nW1 then A"))
    run = subprocess.run(["coqc", "proof.v"], cwd=tmp_path, capture_output=True, text=True, timeout=300, check=False)
    assert run.returncode != 0 and "incomplete proof" in run.stderr


def test_coq_files_state_the_theorem():
    text = coq_text(from_json(data("alpha-beta")))
    assert (
        "d_value t = p_value t" in text
        and "lo <= A <= hi -> lo <= B <= hi -> A < B -> d_value_lo_hi t A B = (Z.max A (Z.min B (p_value t)))" in text
    )


# mutants


@z3
def test_no_falsehood_is_accepted_among_mutants():
    """The full run, 3,000 mutants, is `python tests/discover/mutate.py`; its counts are in
    docs/results/discovery.md.
    """
    tally, _, bad = _mutants().run(40, 7)
    assert tally["refused"] > 20 and not tally["false"] and not tally["crashed"], bad


# agents


@pytest.mark.parametrize("name", ["alpha-beta", "nega-alpha-beta", "alternating", "win-loss", "fail-soft", "scout"])
@pytest.mark.parametrize("game", ["tic-tac-toe", "connect-four", "draughts", "nim", "reversi"])
def test_every_derived_agent_chooses_like_alpha_beta_and_finds_the_value_of_minimax(name, game):
    game, rng = load(game), Random(3)
    agent = Derived(file=str(HERE / "version2" / f"{name}.json"), depth=3)
    for _ in range(5):
        state = game.start()
        for _ in range(rng.randrange(8)):
            if not state.over:
                state = state.play(rng.choice(state.moves()))
        if state.over:
            continue
        ours, hand, plain = (a.choose(game, state, mode="plain") for a in (agent, AlphaBeta(depth=3), Minimax(depth=3)))
        assert (ours.move, ours.value, ours.decided) == (hand.move, hand.value, hand.decided)
        assert (ours.value, ours.decided) == (plain.value, plain.decided)


@pytest.mark.parametrize("name", ["alternating", "win-loss"])
def test_tic_tac_toe_is_a_draw_for_the_two_that_played_wrong(name):
    game = load("tic-tac-toe")
    choice = Derived(file=str(HERE / "version2" / f"{name}.json"), depth=9).choose(game, game.start())
    assert (choice.value, choice.decided) == (0, True)  # oracle: the game is a draw


def test_a_won_game_is_worth_one():
    game = load("tic-tac-toe")
    state = game.start()
    for square in (0, 3, 1, 4):
        state = state.play(square)
    for name in ("win-loss", "alternating", "alpha-beta"):
        choice = Derived(file=str(HERE / "version2" / f"{name}.json"), depth=5).choose(game, state, mode="plain")
        assert (choice.move, choice.value, choice.decided) == (2, 1, True)


def test_an_early_exit_looks_at_no_more_than_alpha_beta():
    game, rng = load("tic-tac-toe"), Random(1)
    less = 0
    for _ in range(10):
        state = game.start()
        for _ in range(4):
            state = state.play(rng.choice(state.moves()))
        if state.over:
            continue
        ours = Derived(file=str(HERE / "version2" / "win-loss.json"), depth=6).choose(game, state, mode="plain").nodes
        hand = AlphaBeta(depth=6).choose(game, state, mode="plain").nodes
        assert ours <= hand
        less += ours < hand
    assert less


RULES = """FIELDS = {{"n": int}}
MAX_MOVES = 2
PAYOFF_SUM = 0


def setup(s):
    s.n = 0


def mover(s):
    return {mover}


def moves(s, out):
    if s.n == 4:
        return 0
    out[0] = 0
    out[1] = 1
    return 2


def play(s, m):
    s.n += 1


def payoff(s, p):
    return {payoff}
"""


def rules(tmp_path, mover="s.n % 2", payoff="1 if p == 0 else -1"):
    path = tmp_path / "rules.py"
    path.write_text(RULES.format(mover=mover, payoff=payoff))
    return load(path)


def play(name, game, depth=5):
    path = name if isinstance(name, Path) else HERE / "version2" / f"{name}.json"
    return Derived(file=str(path), depth=depth).choose(game, game.start(), mode="plain")


@pytest.mark.parametrize("name", ["alternating", "nega-alpha-beta"])
def test_players_that_do_not_alternate_are_noticed(name, tmp_path):
    with pytest.raises(CannotPlay, match="supposes that the players alternate"):
        play(name, rules(tmp_path, mover="s.n // 2"))


def test_payoffs_beyond_what_is_supposed_are_noticed(tmp_path):
    assert play("win-loss", rules(tmp_path)).value == 1
    with pytest.raises(CannotPlay, match=r"supposes eval\(P,V\): V >= -1, V <= 1, in .* worth more or less"):
        play("win-loss", rules(tmp_path, payoff="3 if p == 0 else -3"))


@pytest.mark.parametrize("name", ["beta-cut", "table", "star1", "branch-and-bound", "maxn"])
def test_a_program_with_other_primitives_cannot_play_and_says_so(name, tmp_path):
    with pytest.raises(CannotPlay, match=r"cannot play games: .*(primitive|declares)"):
        play(name, rules(tmp_path))


def changed(tmp_path, change, name="alpha-beta"):
    """Return a verified file whose plain program was changed everywhere."""
    found = {k: v for k, v in data(name).items() if k not in ("axioms", "theorem")} | {"version": 1}
    text = change(json.dumps(found))
    assert text != json.dumps(found)
    verify(json.loads(text))
    (tmp_path / "changed.json").write_text(text)
    return tmp_path / "changed.json"


def test_a_true_theorem_about_another_plain_program_does_not_play(tmp_path):
    def exchange(text):
        return text.replace("white", "grey").replace("black", "white").replace("grey", "black")

    for game in ("tic-tac-toe", "draughts", "connect-four"):
        with pytest.raises(CannotPlay, match="its plain program is no minimax"):
            play(changed(tmp_path, exchange), load(game))


def test_a_game_for_which_a_program_does_not_find_the_value_of_minimax_is_refused(monkeypatch, tmp_path):
    import ludwin.discover.agent as agent

    monkeypatch.setattr(agent, "TREES", 0)  # the comparison in the game itself, alone

    def exchange(text):
        return text.replace("white", "grey").replace("black", "white").replace("grey", "black") + " "

    with pytest.raises(CannotPlay, match=r"is no search for draughts: where minimax of depth \d finds"):
        play(changed(tmp_path, exchange), load("draughts"))


def test_suppositions_that_games_do_not_keep_are_compared(tmp_path):
    heads = [
        ":- pred value(in:position, out:number) is total.",
        ":- pred leaf(in:position).",
        ":- pred white(in:position).",
        ":- pred eval(in:position, out:number) is total.",
    ]
    for declared, message in (
        (":- either leaf, white.", "exactly one of leaf, white holds"),
        (":- pred children(in:position, out:list) is total, smaller.", "declares children"),
    ):
        lines = [*heads, declared, "value(P,V) :- eval(P,V)."]
        made = {
            "format": "ludwin-derivation",
            "version": 1,
            "problem": "x",
            "entry": "value",
            "seed": lines,
            "steps": [],
            "result": lines,
            "notes": {},
        }
        (tmp_path / "made.json").write_text(json.dumps(made))
        assert verify(made)
        with pytest.raises(CannotPlay, match=message):
            play(tmp_path / "made.json", rules(tmp_path))


def test_a_name_that_promises_a_window_is_not_believed(tmp_path):
    """value_lo is defined as the *least* of bound and value: the theorem is true, and the agent does not use it as a
    bound.
    """
    declare = ":- pred value_lo(in:position, in:number, out:number) is total, cost."
    clause = "value_lo(P,A,V) :- value(P,Y), V is min(A,Y)."
    step = {"rule": "define", "removed": [], "added": [clause], "because": "", "by": "", "data": {"declare": declare}}
    made = data("alpha-beta") | {"version": 1}
    made = {k: v for k, v in made.items() if k not in ("axioms", "theorem")}
    text = json.dumps(made).replace("value_lo(", "value_low(")  # the honest one under another name
    made = json.loads(text)
    made["steps"].append(step)
    made["result"] += [declare, clause]
    (tmp_path / "made.json").write_text(json.dumps(made))
    assert read(str(tmp_path / "made.json")).roots.low is None
    honest = read(str(HERE / "version2" / "alpha-beta.json")).roots
    assert (honest.low, honest.high) == ("value_lo", "value_hi")
    game = load("tic-tac-toe")
    assert (
        play(tmp_path / "made.json", game, 4).value == Minimax(depth=4).choose(game, game.start(), mode="plain").value
    )


def test_a_kernel_refuses_to_go_through_a_list_backwards(tmp_path):
    """The rest of the list first, then the first child with that bound: verified, but no program for a kernel."""
    lines = data("alpha-beta")["seed"]
    made = {
        "format": "ludwin-derivation",
        "version": 1,
        "problem": "x",
        "entry": "value",
        "seed": lines,
        "notes": {},
        "steps": [],
    }
    after = list(lines)
    for big, list_, bound, name in (("max", "best", "A", "value_lo"), ("min", "least", "B", "value_hi")):
        declare = f":- pred {name}(in:position, in:number, out:number) is total, cost."
        clause = f"{name}(P,{bound},V) :- value(P,Y), V is {big}({bound},Y)."
        old = f"{list_}([C|Cs],V) :- value(C,Y), {list_}(Cs,Z), V is {big}(Y,Z)."
        new = f"{list_}([C|Cs],V) :- {list_}(Cs,Z), {name}(C,Z,V)."
        made["steps"] += [
            {"rule": "define", "removed": [], "added": [clause], "because": "", "by": "", "data": {"declare": declare}},
            {"rule": "fold", "removed": [old], "added": [new], "because": "", "by": "", "data": {}},
        ]
        after = [line for line in after if line != old] + [declare, clause, new]
    made["result"] = after
    (tmp_path / "made.json").write_text(json.dumps(made))
    assert verify(made).steps == 4
    with pytest.raises(CannotPlay, match="the rest of a list must come last"):
        play(tmp_path / "made.json", load("tic-tac-toe"))


# files of users


GAINS = """% Negamax where moves win something (+ and * in a comment are no sums).
:- pred value(in:position, out:number) is total, cost.
:- pred best(in:list, out:number) is total, cost.
:- pred over(in:position).
:- pred running(in:position).
:- pred moves(in:position, out:list) is total(running), smaller.
:- pred step(in:move, out:number, out:position) is total, smaller.
:- fact step(M,G,Q): G > -inf, G < inf.
:- either over, running.
value(P,0) :- over(P).
value(P,V) :- running(P), moves(P,Ms), best(Ms,V).
best([],-inf).
best([M|Ms],V) :- step(M,G,Q), value(Q,Y), best(Ms,Z), V is max(G-Y,Z).
"""


@z3
def test_alpha_beta_with_shifting_windows_is_found_for_running_gains(tmp_path):
    from ludwin.discover.emit import load_python

    (tmp_path / "gains.pl").write_text(GAINS)
    found = discover(str(tmp_path / "gains.pl")).derivation
    assert found.verify().steps == len(found.steps) > 10
    rng, looked = Random(0), []

    def grow(depth):
        return tuple((rng.randint(-5, 5), grow(depth - 1)) for _ in range(3)) if depth else ()

    def steps(p):
        looked.append(p)
        return p

    world = {"over": lambda p: not p, "running": bool, "moves": steps, "step": lambda m: m}
    for _ in range(20):
        tree = grow(5)
        counts = []
        for program in (found.seed, found.result):
            looked.clear()
            counts.append((load_python(program, "value", world)(tree), len(looked)))
        assert counts[0][0] == counts[1][0] and counts[1][1] < counts[0][1]


@z3
def test_a_copy_of_star1_gets_the_same_algorithm(tmp_path):
    (tmp_path / "mine.pl").write_text((FOLDER / "star1.pl").read_text())
    assert discover(str(tmp_path / "mine.pl")).derivation.result.clauses == discover("star1").derivation.result.clauses


SUM = """:- pred total(in:position, out:number) is total, cost.
:- pred all(in:list, out:number) is total, cost.
:- pred leaf(in:position).
:- pred inner(in:position).
:- pred children(in:position, out:list) is total(inner), smaller.
:- pred eval(in:position, out:number) is total(leaf), cost.
:- either leaf, inner.
:- fact eval(P,V): V > -inf, V < inf.
:- fact total(P,V): V > -inf, V < inf.
:- fact all(Cs,V): V > -inf, V < inf.
total(P,V) :- leaf(P), eval(P,V).
total(P,V) :- inner(P), children(P,Cs), all(Cs,V).
all([],0).
all([C|Cs],V) :- total(C,Y), all(Cs,Z), V is Y+Z.
"""


@z3
def test_where_nothing_can_be_cut_nothing_is_found(tmp_path, capsys):
    (tmp_path / "sum.pl").write_text(SUM)
    assert main(["discover", str(tmp_path / "sum.pl")]) == 1
    assert "nothing can be cut here" in capsys.readouterr().out


@z3
def test_windows_that_save_no_call_are_no_algorithm(tmp_path, capsys):
    text = (FOLDER / "negamax2.pl").read_text().replace("mine", "eval")
    text = text[: text.index("neg(P,A) :- inner")].replace(
        ":- pred maxi(in:number, in:number, out:number) is total.\n", ""
    )
    text += (
        ":- fact eval(P,V): V >= 0, V <= 10.\nneg(P,A) :- inner(P), l(P,L), r(P,R), neg(L,B), neg(R,C), A is "
        "max(B+1,C-1).\n"
    )
    (tmp_path / "sum.pl").write_text(text)
    assert main(["discover", str(tmp_path / "sum.pl")]) == 1
    assert "no test on them saves a call" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            ":- pred f(in:number, in:number, out:number) is total, cost.\nf(A,B,A) :- A >= B.\nf(A,B,B) :- A < B.\n",
            "nothing for f with these arguments",
        ),
        (
            ":- pred f(in:position, out:number) is total, cost.\n:- pred g(in:position, out:number) is "
            "total.\nf(P,V) :- g(P,V).\n",
            "and no g",
        ),
    ],
)
def test_programs_that_cannot_be_tried_on_trees_are_told_what_trees_offer(text, message, tmp_path, capsys):
    (tmp_path / "mine.pl").write_text(text)
    assert main(["discover", str(tmp_path / "mine.pl")]) == 2
    err = capsys.readouterr().err
    assert message in err and err.count("\n") == 1


@z3
@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        (":- fact step(M,G,Q): G > -inf, G < inf.\n", "", "an infinity plus its opposite"),
        ("V is max(G-Y,Z)", "V is max(G*Y,Z)", "only products with"),
        ("V is max(G-Y,Z)", "V is max(G-Y,P)", "P"),
        ("best([],-inf).\n", "", "covers|no clause"),
        ("is total(running), smaller", "is total(running)", "no argument that always gets smaller"),
        ("value(P,V) :- running(P), ", "value(P,V) :- ", "needs running"),
        ("value(Q,Y), best", "value(M,Y), best", "not the same kind"),
        (":- either over, running.\n", "", "does not follow|covers|agree"),
    ],
)
def test_a_mistake_in_a_users_file_is_one_line(old, new, message, tmp_path, capsys):
    assert old in GAINS
    (tmp_path / "wrong.pl").write_text(GAINS.replace(old, new))
    assert main(["discover", str(tmp_path / "wrong.pl")]) == 2
    import re

    err = capsys.readouterr().err
    assert err.startswith("ludwin: ") and err.count("\n") == 1 and re.search(message, err), err


@z3
def test_costs_that_break_an_axiom_are_told_when_the_program_runs():
    from ludwin.discover.emit import load_python
    from ludwin.discover.interpret import AxiomBroken

    program = discover("branch-and-bound").derivation.result
    world = {
        "solved": lambda p: p == 0,
        "open": lambda p: p > 0,
        "edges": lambda p: ((float("inf"), p - 1),),
        "step": lambda e: e,
        "bound": lambda p: 0,
    }
    with pytest.raises(AxiomBroken, match=r"step\(E,C,Q\): C < inf does not hold: it gave inf"):
        load_python(program, "cost", world)(3)


def test_refused_is_one_of_our_errors():
    from ludwin.errors import LudwinError

    assert issubclass(RefusedProof, LudwinError) and issubclass(BadDerivation, LudwinError)
