"""What the algorithms promise: contracts and sketches of fail-soft, SCOUT, tables and max^n.

Why it is here.  Each algorithm is stated by what its predicates promise and by the shape of its clauses; the
windows, tests and answers are choices, the most ambitious first, and `ludwin.discover.relation` keeps the
first that can be proved.  Black's half is White's with the order turned round (`dual`).

References.  J. Fishburn, "Analysis of speedup in distributed algorithms" (1984): fail-soft; J. Pearl, "Asymptotic
properties of minimax trees and game-searching procedures", AI 14 (1980): SCOUT; D. Slate and L. Atkin,
"CHESS 4.5" (1977): tables with bounds; R. Korf, "Multi-player alpha-beta pruning", AI 48 (1991): max^n can be
pruned shallowly, not deeply.
"""

import re

from ludwin.discover.relation import Contract, Sketch

_DUAL = dict(
    pair
    for a, b in (
        (">=", "<="),
        (">", "<"),
        ("inf", "-inf"),
        ("max", "min"),
        ("white", "black"),
        ("best", "least"),
        ("A", "B"),
        ("any", "all"),
        ("L", "U"),
    )
    for pair in ((a, b), (b, a))
)


def dual(text: str) -> str:
    """Return the same thing for the other player.

    >>> dual("softbest([C|Cs],A,B,M,Y) :- soft(C,A,B,Y), Y >= B.")
    'softleast([C|Cs],A,B,M,Y) :- soft(C,A,B,Y), Y <= A.'
    """
    text = re.sub(
        r"(soft|scout)(best|least|rest|last)",
        lambda m: m[1] + {"best": "least", "least": "best", "rest": "last", "last": "rest"}[m[2]],
        text,
    )
    text = re.sub(r"-inf\b|\binf\b|>=|<=|(?<![-:])>|<|\b[A-Za-z]\w*\b", lambda m: _DUAL.get(m[0], m[0]), text)
    windows = r"\b(soft|tabled|learned|softbest|softleast)\((\w+|\[[^\]]*\]),([^,]+),([^,)]+)"
    return re.sub(windows, r"\1(\2,\4,\3", text)  # a window is written low, high


SOFT = ("R > A ; V <= R", "R < B ; V >= R", "R <= A ; R >= B ; V <= R", "R <= A ; R >= B ; V >= R")
SOFT_REST = (
    "R > A ; V <= R",
    "R > A ; M <= R",
    "R < B ; V >= R ; M >= R",
    "R <= A ; R >= B ; V <= R",
    "R <= A ; R >= B ; M <= R",
    "R <= A ; R >= B ; V >= R ; M >= R",
)
CLAMP = ("R >= A", "R <= B", "R > A ; V <= A", "R < B ; V >= B", "R <= A ; R >= B ; V <= R", "R <= A ; R >= B ; V >= R")


def _pred(head: str, kind: str, numbers: int, require: str = "", outs: int = 1) -> str:
    name = head.partition("(")[0]
    args = ", ".join([f"in:{kind}", *["in:number"] * numbers, *["out:number"] * outs])
    return f":- pred {name}({args}) is total, cost." + (f"\n:- require {head}: {require}." if require else "")


def _contract(head: str, of: str, relation: tuple[str, ...], require: str = "", outs: int = 1) -> Contract:
    kind = "position" if head.partition("(")[2].startswith("P") else "list"
    return Contract(_pred(head, kind, head.count(",") - outs, require, outs), head, of, relation)


def _both(contract: Contract) -> tuple[Contract, Contract]:
    return contract, Contract(
        dual(contract.declare), dual(contract.head), dual(contract.of), tuple(map(dual, contract.relation))
    )


def _dual_groups(groups: tuple[tuple[str, ...], ...]) -> tuple[tuple[str, ...], ...]:
    return groups + tuple(tuple(map(dual, group)) for group in groups)


def _soft_lists(child: str) -> tuple[tuple[str, ...], ...]:
    """The lists of a fail-soft search whose children are searched by `child`."""
    window = "L is {max(A,M)|max(A,A)}"
    return (
        ("softbest([],A,B,M,{M|A|B}).",),
        (
            f"softbest([C|Cs],A,B,M,{{Y|B|M}}) :- {window}, {child}(C,L,B,Y), Y >= B.",
            f"softbest([C|Cs],A,B,M,R) :- {window}, {child}(C,L,B,Y), N is {{max(M,Y)|max(A,Y)}}, "
            f"softbest(Cs,A,B,N,R), Y < B.",
        ),
    )


_SOFT_NODES = (
    ("soft(P,A,B,{R}) :- leaf(P), eval(P,R).",),
    ("soft(P,A,B,R) :- inner(P), white(P), children(P,Cs), softbest(Cs,A,B,-inf,R).",),
    ("soft(P,A,B,R) :- inner(P), black(P), children(P,Cs), softleast(Cs,A,B,inf,R).",),
)

_REST = _both(_contract("softbest(Cs,A,B,M,R)", "best(Cs,V)", SOFT_REST, "A < B, M < B"))

FAIL_SOFT = Sketch(
    (_contract("soft(P,A,B,R)", "value(P,V)", SOFT, "A < B"), *_REST),
    _SOFT_NODES + tuple(g for group in _soft_lists("soft") for g in _dual_groups((group,))),
)

TABLE = Sketch(
    (
        _contract("tabled(P,A,B,R)", "value(P,V)", SOFT, "A < B"),
        _contract("learned(P,A,B,R,L,U)", "value(P,V)", (*SOFT, "V >= L", "V <= U"), "A < B", outs=3),
        _contract("soft(P,A,B,R)", "value(P,V)", SOFT, "A < B"),
        *_REST,
    ),
    (
        ("tabled(P,A,B,{L|B}) :- probe(P,L,U), L >= B.",),
        ("tabled(P,A,B,{U|A}) :- probe(P,L,U), L < B, U <= A.",),
        ("tabled(P,A,B,L) :- probe(P,L,U), L < B, U > A, L >= U.",),
        (
            "tabled(P,A,B,R) :- probe(P,L,U), L < B, U > A, L < U, A1 is {max(A,L)|max(A,A)}, B1 is "
            "{min(B,U)|min(B,B)}, learned(P,A1,B1,R,L1,U1).",
        ),
        ("learned(P,A,B,R,{R|-inf},{R|inf}) :- soft(P,A,B,R), R <= A.",),
        ("learned(P,A,B,R,{ R|-inf},{ R|inf}) :- soft(P,A,B,R), R >= B.",),
        ("learned(P,A,B,R,{R|-inf},{R|inf}) :- soft(P,A,B,R), R > A, R < B.",),
        *_SOFT_NODES,
        *(g for group in _soft_lists("tabled") for g in _dual_groups((group,))),
    ),
)

_ABOVE = ("T > 0 ; V <= A", "T <= 0 ; V > A")
_BELOW = ("T > 0 ; V >= B", "T <= 0 ; V < B")


def _scout_lists(
    best: str, rest: str, test: str, low: str, high: str, beyond: str, inside: str
) -> tuple[tuple[str, ...], ...]:
    """The lists of SCOUT: the first child in full, the others only if a test says that they matter."""
    hole = f"{{Y|{low}}}"
    window = f"{hole},B" if low == "A" else f"A,{hole}"
    return (
        (f"{best}([],A,B,{{{low}|{high}}}).",),
        (
            f"{best}([C|Cs],A,B,{{{high}|{low}}}) :- scout(C,A,B,Y), Y {beyond} {high}.",
            f"{best}([C|Cs],A,B,R) :- scout(C,A,B,Y), {rest}(Cs,{window},R), Y {inside} {high}.",
        ),
        (f"{rest}([],A,B,{{{low}|{high}}}).",),
        (f"{rest}([C|Cs],A,B,R) :- {test}(C,{low},T), {rest}(Cs,A,B,R), T <= 0.",),
        (
            f"{rest}([C|Cs],A,B,{{{high}|{low}}}) :- {test}(C,{low},T), scout(C,A,B,Y), T > 0, Y {beyond} {high}.",
            f"{rest}([C|Cs],A,B,R) :- {test}(C,{low},T), scout(C,A,B,Y), {rest}(Cs,{window},R), T > 0, Y {inside} "
            f"{high}.",
        ),
    )


def _tests(node: str, some: str, every: str, bound: str, hit: str) -> tuple[tuple[str, ...], ...]:
    """A null-window search: does the value lie beyond a bound?  One list wants some child, the other every child."""
    kinds = (("white", some), ("black", every)) if bound == "A" else (("black", some), ("white", every))
    opposite = {">": "<=", "<": ">="}[hit]
    return (
        (
            f"{node}(P,{bound},1) :- leaf(P), eval(P,Y), Y {hit} {bound}.",
            f"{node}(P,{bound},0) :- leaf(P), eval(P,Y), Y {opposite} {bound}.",
        ),
        *(
            (f"{node}(P,{bound},T) :- inner(P), {side}(P), children(P,Cs), {rows}(Cs,{bound},T).",)
            for side, rows in kinds
        ),
        (f"{some}([],{bound},{{1|0}}).",),
        (
            f"{some}([C|Cs],{bound},{{0|1}}) :- {node}(C,{bound},S), S > 0.",
            f"{some}([C|Cs],{bound},T) :- {node}(C,{bound},S), {some}(Cs,{bound},T), S <= 0.",
        ),
        (f"{every}([],{bound},{{0|1}}).",),
        (
            f"{every}([C|Cs],{bound},{{1|0}}) :- {node}(C,{bound},S), S <= 0.",
            f"{every}([C|Cs],{bound},T) :- {node}(C,{bound},S), {every}(Cs,{bound},T), S > 0.",
        ),
    )


SCOUT = Sketch(
    (
        _contract("scout(P,A,B,R)", "value(P,V)", CLAMP, "A < B"),
        *(
            _contract(f"{name}(Cs,A,B,R)", f"{of}(Cs,V)", CLAMP, "A < B")
            for name, of in (
                ("scoutbest", "best"),
                ("scoutrest", "best"),
                ("scoutleast", "least"),
                ("scoutlast", "least"),
            )
        ),
        _contract("above(P,A,T)", "value(P,V)", _ABOVE, "A < inf"),
        _contract("someabove(Cs,A,T)", "best(Cs,V)", _ABOVE, "A < inf"),
        _contract("allabove(Cs,A,T)", "least(Cs,V)", _ABOVE, "A < inf"),
        _contract("below(P,B,T)", "value(P,V)", _BELOW, "B > -inf"),
        _contract("somebelow(Cs,B,T)", "least(Cs,V)", _BELOW, "B > -inf"),
        _contract("allbelow(Cs,B,T)", "best(Cs,V)", _BELOW, "B > -inf"),
    ),
    (
        ("scout(P,A,B,R) :- leaf(P), eval(P,Y), N is min(B,Y), R is max(A,N).",),
        ("scout(P,A,B,R) :- inner(P), white(P), children(P,Cs), scoutbest(Cs,A,B,R).",),
        ("scout(P,A,B,R) :- inner(P), black(P), children(P,Cs), scoutleast(Cs,A,B,R).",),
        *_scout_lists("scoutbest", "scoutrest", "above", "A", "B", ">=", "<"),
        *_scout_lists("scoutleast", "scoutlast", "below", "B", "A", "<=", ">"),
        *_tests("above", "someabove", "allabove", "A", ">"),
        *_tests("below", "somebelow", "allbelow", "B", "<"),
    ),
)


# max^n for three players


def _vector(name: str) -> str:
    return ",".join(f"{name}{i}" for i in range(3))


def maxn_seed() -> str:
    """Return plain max^n: each player takes the child that is best for itself, the first of equals."""
    lines = [
        ":- pred leaf(in:position).",
        ":- pred inner(in:position).",
        ":- pred last(in:list).",
        ":- pred more(in:list).",
    ]
    lines += [
        ":- pred children(in:position, out:list) is total(inner), smaller.",
        ":- pred first(in:list, out:position) is total, smaller.",
    ]
    lines += [":- pred next(in:list, out:list) is total(more), smaller."]
    lines += [":- pred eval(in:position, out:number, out:number, out:number) is total(leaf), cost."]
    lines += [
        f":- pred {kind}{i}(in:{thing}, out:number, out:number, out:number) is total, cost."
        for i in range(3)
        for kind, thing in (("v", "position"), ("l", "list"))
    ]
    lines += [":- either leaf, inner.", ":- either last, more."]
    for name in ("eval", *(f"{kind}{i}" for i in range(3) for kind in "vl")):
        lines.append(f":- fact {name}(P,{_vector('V')}): V0+V1+V2 = 1, V0 >= 0, V1 >= 0, V2 >= 0.")
    for i in range(3):
        j = (i + 1) % 3
        lines += [
            f"v{i}(P,{_vector('V')}) :- leaf(P), eval(P,{_vector('V')}).",
            f"v{i}(P,{_vector('V')}) :- inner(P), children(P,Cs), l{i}(Cs,{_vector('V')}).",
            f"l{i}(Cs,{_vector('V')}) :- last(Cs), first(Cs,C), v{j}(C,{_vector('V')}).",
            f"l{i}(Cs,{_vector('Y')}) :- more(Cs), first(Cs,C), next(Cs,Ds), v{j}(C,{_vector('Y')}), "
            f"l{i}(Ds,{_vector('Z')}), Y{i} >= Z{i}.",
            f"l{i}(Cs,{_vector('Z')}) :- more(Cs), first(Cs,C), next(Cs,Ds), v{j}(C,{_vector('Y')}), "
            f"l{i}(Ds,{_vector('Z')}), Y{i} < Z{i}.",
        ]
    return "\n".join(lines) + "\n"


def _exact(result: str, value: str, unless: tuple[str, ...]) -> tuple[str, ...]:
    """Lines that say: the result is the value, unless one of some tests holds."""
    return tuple(" ; ".join([*unless, f"{result}{k} {sign} {value}{k}"]) for k in range(3) for sign in (">=", "<="))


def _or_low(result: str, value: str, parent: int, unless: tuple[str, ...] = ()) -> tuple[str, ...]:
    """The same, or both are no better than B for the parent."""
    low = (f"{value}{parent} <= B", f"{result}{parent} <= B")
    return tuple(line for way in low for line in _exact(result, value, (*unless, way)))


def _maxn_player(i: int, deep: bool) -> tuple[tuple[Contract, ...], tuple[tuple[str, ...], ...]]:
    """Player i's predicates: t, s, k exact (a node, a list, the rest of a list), b, n, m as the parent h sees them."""
    h, j = (i + 2) % 3, (i + 1) % 3
    r, m, v, y = (_vector(x) for x in "RMVY")
    whole = "M0+M1+M2 = 1, M0 >= 0, M1 >= 0, M2 >= 0"
    rest = (*_exact("R", "M", (f"V{i} > M{i}",)), *_exact("R", "V", (f"V{i} <= M{i}",)))
    low_rest = (*_or_low("R", "M", h, (f"V{i} > M{i}",)), *_or_low("R", "V", h, (f"V{i} <= M{i}",)))
    contracts: tuple[Contract, ...] = (
        _contract(f"t{i}(P,{r})", f"v{i}(P,{v})", _exact("R", "V", ()), outs=3),
        _contract(f"s{i}(Cs,{r})", f"l{i}(Cs,{v})", _exact("R", "V", ()), outs=3),
        _contract(f"k{i}(Cs,{m},{r})", f"l{i}(Cs,{v})", rest, whole, outs=3),
        _contract(f"b{i}(P,B,{r})", f"v{i}(P,{v})", _or_low("R", "V", h), outs=3),
        _contract(f"n{i}(Cs,B,{r})", f"l{i}(Cs,{v})", _or_low("R", "V", h), outs=3),
        _contract(f"m{i}(Cs,B,{m},{r})", f"l{i}(Cs,{v})", low_rest, whole, outs=3),
    )
    child = f"first(Cs,C), b{j}(C,M{i},{y})"
    cut = f"W is {{1-M{i}|1-M{h}}}"
    new_cut = f"W is {{1-Y{i}|1-Y{h}}}"
    opening = f"d{j}(C,B,{m})" if deep else f"t{j}(C,{m})"
    groups: tuple[tuple[str, ...], ...] = (
        (f"t{i}(P,{r}) :- leaf(P), eval(P,{r}).",),
        (f"t{i}(P,{r}) :- inner(P), children(P,Cs), s{i}(Cs,{r}).",),
        (f"s{i}(Cs,{r}) :- last(Cs), first(Cs,C), t{j}(C,{r}).",),
        (f"s{i}(Cs,{r}) :- more(Cs), first(Cs,C), next(Cs,Ds), t{j}(C,{m}), k{i}(Ds,{m},{r}).",),
        (
            f"k{i}(Cs,{m},{y}) :- last(Cs), {child}, Y{i} > M{i}.",
            f"k{i}(Cs,{m},{m}) :- last(Cs), {child}, Y{i} <= M{i}.",
        ),
        (
            f"k{i}(Cs,{m},{r}) :- more(Cs), {child}, next(Cs,Ds), k{i}(Ds,{y},{r}), Y{i} > M{i}.",
            f"k{i}(Cs,{m},{r}) :- more(Cs), {child}, next(Cs,Ds), k{i}(Ds,{m},{r}), Y{i} <= M{i}.",
        ),
        (f"b{i}(P,B,{r}) :- leaf(P), eval(P,{r}).",),
        (f"b{i}(P,B,{r}) :- inner(P), children(P,Cs), n{i}(Cs,B,{r}).",),
        (f"n{i}(Cs,B,{m}) :- last(Cs), first(Cs,C), {opening}.",),
        (
            f"n{i}(Cs,B,{m}) :- more(Cs), first(Cs,C), {opening}, {cut}, B >= W.",
            f"n{i}(Cs,B,{r}) :- more(Cs), first(Cs,C), {opening}, {cut}, next(Cs,Ds), m{i}(Ds,B,{m},{r}), B < W.",
        ),
        (
            f"m{i}(Cs,B,{m},{y}) :- last(Cs), {child}, Y{i} > M{i}.",
            f"m{i}(Cs,B,{m},{m}) :- last(Cs), {child}, Y{i} <= M{i}.",
        ),
        (
            f"m{i}(Cs,B,{m},{r}) :- more(Cs), {child}, next(Cs,Ds), m{i}(Ds,B,{m},{r}), Y{i} <= M{i}.",
            f"m{i}(Cs,B,{m},{y}) :- more(Cs), {child}, {new_cut}, Y{i} > M{i}, B >= W.",
            f"m{i}(Cs,B,{m},{r}) :- more(Cs), {child}, {new_cut}, next(Cs,Ds), m{i}(Ds,B,{y},{r}), Y{i} > M{i}, B < W.",
        ),
    )
    if deep:  # the grandparent's bound goes through to the grandchild, as alpha-beta's would
        g = (i + 1) % 3
        contracts += (_contract(f"d{i}(P,B,{r})", f"v{i}(P,{v})", _or_low("R", "V", g), outs=3),)
    return contracts, groups


def maxn_sketch(*, deep: bool = False) -> Sketch:
    """Return max^n with shallow pruning; with `deep`, the version that Korf showed to be wrong."""
    parts = [_maxn_player(i, deep) for i in range(3)]
    return Sketch(
        tuple(c for contracts, _ in parts for c in contracts), tuple(g for _, groups in parts for g in groups)
    )
