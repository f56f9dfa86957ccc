"""Forged derivations: every one is refused for its reason, or says honestly what it proves.

The corpus is invented by people who tried.  A forgery changes an honest file of the package (`alpha-beta` …) or is
written from nothing (`small`); beside it stands why it must be refused.  The few that are accepted prove something true
that is not what their name suggests: there the theorem that is printed is tested.
"""

import copy
import json
import time
from pathlib import Path
from random import Random

import pytest

from ludwin.discover.checker import RefusedProof, verify, verify_bytes

FIXTURES = Path(__file__).parent / "fixtures" / "version1"
FORGERIES = {}  # name -> (make, reason)


def honest(name):
    return json.loads((FIXTURES / f"{name}.json").read_text(encoding="utf8"))


def forgery(reason):
    def keep(make):
        FORGERIES[make.__name__] = (make, reason)
        return make

    return keep


WORLD = [
    ":- pred leaf(in:position).",
    ":- pred inner(in:position).",
    ":- pred children(in:position, out:list) is total(inner), smaller.",
    ":- pred eval(in:position, out:number) is total(leaf), cost.",
    ":- either leaf, inner.",
]
HEADS = [":- pred value(in:position, out:number) is total, cost.", ":- pred best(in:list, out:number) is total, cost."]
SUM = [
    "value(P,V) :- leaf(P), eval(P,V).",
    "value(P,V) :- inner(P), children(P,Cs), best(Cs,V).",
    "best([],-inf).",
    "best([C|Cs],V) :- value(C,Y), best(Cs,Z), V is max(Y,Z).",
]


def step(rule, removed=(), added=(), **data):
    return {"rule": rule, "removed": list(removed), "added": list(added), "because": "", "by": "", "data": data}


def small(declared=(), clauses=SUM, steps=(), result=None, entry="value", world=WORLD, heads=HEADS, more=()):
    """Return a file: declarations and clauses, steps, and the clauses of the result (with declarations `more`)."""
    seed = [*heads, *world, *declared, *clauses]
    after = seed if result is None else [*heads, *world, *declared, *more, *result]
    return {
        "format": "ludwin-derivation",
        "version": 1,
        "problem": "alpha-beta",
        "entry": entry,
        "seed": seed,
        "steps": list(steps),
        "result": after,
        "notes": {},
    }


def swapped(old, new, clauses=SUM):
    return [new if c == old else c for c in clauses]


def replaced(old, new, rule="replace"):
    """Return a file in which one step exchanges a clause of the plain program."""
    new = [new] if isinstance(new, str) else new
    return small(steps=[step(rule, [old], new)], result=[*[c for c in SUM if c != old], *new])


def edited(name, old, new, *, where="added"):
    """Return an honest file with a text changed wherever it stands in steps and result."""
    data = honest(name)
    text = json.dumps([data["steps"], data["result"]])
    assert old in text, old
    data["steps"], data["result"] = json.loads(text.replace(old, new))
    return data


# what is assumed


DEFINE = ":- pred low(in:position, in:number, out:number) is total."
LOW = "low(P,A,V) :- value(P,Y), V is max(A,Y)."


def defined(declare=DEFINE, clauses=(LOW,), extra=(), more=None, **data):
    first = step("define", [], clauses, declare=declare, **data)
    return small(steps=[first, *extra], result=[*SUM, *clauses], more=[declare] if more is None else more)


@forgery("declares one predicate, what it requires, and nothing else")
def a_definition_that_declares_a_fact_about_itself():
    return defined(DEFINE + "\n:- fact low(P,A,V): V = 42.")


@forgery("declares one predicate, what it requires, and nothing else")
def a_definition_that_declares_a_fact_about_another():
    return defined(DEFINE + "\n:- fact value(P,V): V = 42.")


@forgery("is defined by no clauses and has no contract")
def a_total_predicate_without_clauses():
    return defined(clauses=())


@forgery("a definition declares one predicate")
def two_predicates_in_one_definition():
    return defined(DEFINE + "\n:- pred more(in:position, out:number) is total.")


@forgery("a definition declares one predicate")
def clauses_hidden_in_a_declaration():
    return defined(DEFINE + "\nvalue(P,42).")


@forgery("cannot be promised to be smaller")
def a_new_predicate_that_promises_to_be_smaller():
    return defined(":- pred low(in:position, out:position) is total, smaller.", ("low(P,P).",))


@forgery("nothing else")
def a_definition_that_adds_a_choice():
    return defined(DEFINE + "\n:- either leaf, inner.")


@forgery("nothing else")
def a_definition_that_adds_a_lemma():
    return defined(DEFINE + "\n:- lemma value(P,V), low(P,V): V >= V.")


@forgery("value is not a new name")
def an_old_predicate_defined_again():
    return defined(":- pred value(in:position, out:number) is total.", ("value(P,42).",), more=())


@forgery("eval is not a new name")
def a_primitive_defined():
    return defined(":- pred eval(in:position, out:number) is total.", ("eval(P,42).",), more=())


@forgery("requires something of its own predicate only")
def a_definition_that_requires_something_of_value():
    return defined(DEFINE + "\n:- require value(P,V): 1 > 2.")


@forgery("must be about its inputs")
def a_definition_that_requires_the_impossible_of_nobody():
    return defined(DEFINE + "\n:- require low(P,A,V): 1 > 2.")


@forgery("no input satisfies what low requires|does not follow")
def a_definition_for_no_input():
    return defined(DEFINE + "\n:- require low(P,A,V): A < A.", ("low(P,A,42).",))


@forgery("only comparisons of its inputs")
def a_requirement_about_the_answer():
    return defined(DEFINE + "\n:- require low(P,A,V): V = 42.")


@forgery("other lemmas need a proof")
def a_lemma_between_two_plain_functions():
    return small(
        [":- lemma value(P,V), other(P,W): V > W.", ":- pred other(in:position, out:number) is total."],
        [*SUM, "other(P,V) :- value(P,V)."],
    )


@forgery("other lemmas need a proof")
def a_lemma_about_a_primitive_that_the_program_uses():
    declared = [
        ":- pred guess(in:position, out:number) is total.",
        ":- fact guess(P,H): H > 0, H < inf.",
        ":- lemma value(P,V), guess(P,H): H <= V.",
    ]
    return small(declared, ["value(P,V) :- guess(P,H), V is H-1.", *SUM[2:]])


@forgery("no value of guess can satisfy")
def a_lemma_that_nothing_satisfies():
    return small([":- pred guess(in:position, out:number) is total.", ":- lemma value(P,V), guess(P,H): H < V, H > V."])


@forgery("no value of guess can satisfy")
def two_lemmas_that_contradict_each_other():
    return small(
        [
            ":- pred guess(in:position, out:number) is total.",
            ":- lemma value(P,V), guess(P,H): H < V.",
            ":- lemma value(P,V), guess(P,H): H >= V.",
        ]
    )


@forgery("no value of guess can satisfy")
def a_lemma_that_only_some_values_satisfy():
    return small(
        [":- pred guess(in:position, out:number) is total.", ":- lemma value(P,V), guess(P,H): H > V."]
    )  # nothing is above inf


@forgery("about the same inputs|different variables")
def a_lemma_about_two_different_things():
    return small([":- pred guess(in:position, out:number) is total.", ":- lemma value(P,V), guess(Q,H): H <= V."])


@forgery("no value satisfies the fact about eval")
def a_fact_that_no_value_satisfies():
    return small([":- fact eval(P,V): V > 1, V < 1."])


@forgery("the fact about value|does not follow")
def a_fact_about_a_plain_function_that_is_false():
    return small([":- fact value(P,V): V <= 1."])


@forgery("does not follow")
def a_fact_that_forgets_the_empty_list():
    return small([":- fact eval(P,V): V > -inf.", ":- fact value(P,V): V > -inf.", ":- fact best(Cs,V): V > -inf."])


@forgery("not the same kind")
def a_fact_about_a_position():
    return small([":- fact eval(P,V): P >= V."])


@forgery("restricts its inputs")
def a_fact_that_speaks_of_inputs_only():
    return small([":- pred price(in:number, out:number) is total.", ":- fact price(N,V): N > 0."])


@forgery("two different tests or more")
def a_choice_between_a_test_and_itself():
    return small(world=[w.replace("either leaf, inner", "either leaf, leaf") for w in WORLD])


@forgery("stands in two choices")
def choices_that_contradict_each_other():
    return small([":- pred open(in:position).", ":- either leaf, open."])


@forgery("is no test")
def a_choice_of_something_that_is_no_test():
    return small([":- pred odd(in:position).", ":- either odd, value."])


@forgery("parts get smaller for ever")
def a_successor_for_ever():
    return small(
        [":- pred after(in:position, out:position) is total, smaller."],
        [*SUM, "last(P,V) :- after(P,Q), last(Q,V)."],
        heads=[*HEADS, ":- pred last(in:position, out:number) is total."],
    )


@forgery("parts get smaller for ever")
def a_chain_of_things_without_end():
    return small(
        [
            ":- pred edge(in:position, out:edge) is total, smaller.",
            ":- pred end(in:edge, out:position) is total, smaller.",
        ]
    )


@forgery("not for it to promise")
def a_predicate_with_clauses_that_promises_where_it_answers():
    return small(heads=[HEADS[0].replace("total", "total(leaf)"), HEADS[1]])


@forgery("only primitives are promised to be smaller")
def a_predicate_with_clauses_that_promises_to_be_smaller():
    return small([":- pred same(in:position, out:position) is total, smaller."], [*SUM, "same(P,P)."])


@forgery("no input satisfies what value requires")
def a_plain_program_for_no_input():
    return small(
        [":- require value(P,N,V): N < N."],
        ["value(P,N,42)."],
        heads=[":- pred value(in:position, in:number, out:number) is total."],
    )


@forgery("a primitive says where it answers")
def a_requirement_of_a_primitive():
    return small([":- pred f(in:number, out:number) is total.", ":- require f(N,V): N > 0."])


@forgery("has an output")
def a_test_with_clauses():
    return small([":- pred odd(in:position)."], [*SUM, "odd(P) :- leaf(P)."])


@forgery("is declared twice")
def a_predicate_declared_twice():
    return small([HEADS[0]])


@forgery("two declarations `fact` about eval")
def two_facts_about_one_predicate():
    return small([":- fact eval(P,V): V >= 0.", ":- fact eval(P,V): V >= 1."])


@forgery("may fail, and is called")
def a_primitive_that_may_fail():
    return small(world=[w.replace(" is total(leaf), cost", "") for w in WORLD])


@forgery("needs inner of")
def children_of_a_leaf():
    return small(clauses=swapped(SUM[0], "value(P,V) :- leaf(P), children(P,Cs), best(Cs,V)."))


@forgery("does not follow that eval")
def the_value_of_a_position_that_may_be_inner():
    return replaced(SUM[0], "value(P,V) :- eval(P,V).")


# what is proved


@forgery("does not follow that 42 = value")
def a_constant_for_a_value():
    return small(
        steps=[step("replace", [SUM[0]], ["value(P,42) :- leaf(P)."])], result=["value(P,42) :- leaf(P).", *SUM[1:]]
    )


@forgery("does not follow")
def a_constant_for_everything():
    return small(steps=[step("subsume", [c], []) for c in SUM], result=[])


@forgery("no argument that always gets smaller")
def a_clause_folded_into_itself():
    return replaced(SUM[1], "value(P,V) :- inner(P), value(P,V).", "fold")


@forgery("no argument that always gets smaller")
def a_list_taken_apart_and_put_together_again():
    return replaced(SUM[3], "best([C|Cs],V) :- best([C|Cs],V).", "fold")


@forgery("no argument that always gets smaller")
def a_circle_of_two_predicates():
    define = step("define", [], ["same(P,V) :- value(P,V)."], declare=":- pred same(in:position, out:number) is total.")
    fold = step("fold", [SUM[1]], ["value(P,V) :- inner(P), same(P,V)."])
    return small(
        steps=[define, fold],
        result=[SUM[0], "value(P,V) :- inner(P), same(P,V).", *SUM[2:], "same(P,V) :- value(P,V)."],
        more=[":- pred same(in:position, out:number) is total."],
    )


COUNT = [":- pred count(in:number, out:number) is total."]


@forgery("no argument that always gets smaller")
def a_counter_that_grows():
    return small(COUNT, [*SUM, "count(N,0) :- N <= 0.", "count(N,V) :- N > 0, M is N+1, count(M,V)."])


@forgery("no argument that always gets smaller")
def a_counter_that_may_be_infinite():
    return small(COUNT, [*SUM, "count(N,0) :- N <= 0.", "count(N,V) :- N > 0, M is N-1, count(M,V)."])


@forgery("no argument that always gets smaller")
def a_counter_without_a_floor():
    return small([*COUNT, ":- require count(N,V): N < inf."], [*SUM, "count(N,V) :- M is N-1, count(M,V)."])


@forgery("no argument that always gets smaller")
def a_counter_that_is_halved():
    return small(
        [*COUNT, ":- require count(N,V): N < inf."],
        [*SUM, "count(N,0) :- N <= 0.", "count(N,V) :- N > 0, M is N/2, count(M,V)."],
    )


@forgery("no argument that always gets smaller")
def a_counter_that_falls_here_and_grows_there():
    return small(
        [
            *COUNT,
            ":- require count(N,V): N < inf.",
            ":- pred count2(in:number, out:number) is total.",
            ":- require count2(N,V): N < inf.",
        ],
        [
            *SUM,
            "count(N,0) :- N <= 0.",
            "count(N,V) :- N > 0, M is N-1, count2(M,V).",
            "count2(N,V) :- M is N+1, count(M,V).",
        ],
    )


@forgery("no argument that always gets smaller")
def a_number_that_a_smaller_primitive_returns():
    declared = [
        ":- pred step(in:position, out:number, out:position) is total(inner), smaller.",
        ":- pred walk(in:number, in:position, out:number) is total.",
    ]
    return small(declared, [*SUM, "walk(N,P,0) :- leaf(P).", "walk(N,P,V) :- inner(P), step(P,M,Q), walk(M,P,V)."])


@forgery("value covers|does not follow")
def a_test_that_says_nothing_in_place_of_a_case():
    return replaced(SUM[3], "best([C|Cs],Y) :- value(C,Y), Y >= Y.")


@forgery("not sound")
def a_leaf_forgotten():
    return small(steps=[step("subsume", [SUM[0]], [])], result=SUM[1:])


@forgery("not sound")
def the_empty_list_forgotten():
    return small(steps=[step("unsat", [SUM[2]], [])], result=[SUM[0], SUM[1], SUM[3]])


@forgery("the derived program: .*has no clauses|not sound")
def a_predicate_forgotten():
    return small(steps=[step("unsat", [SUM[2]], []), step("unsat", [SUM[3]], [])], result=SUM[:2])


@forgery("not sound")
def a_case_that_only_equal_values_reach():
    return replaced(SUM[3], "best([C|Cs],Y) :- value(C,Y), best(Cs,Y).")


@forgery("not sound")
def a_split_whose_halves_leave_a_gap():
    return replaced(SUM[3], [SUM[3][:-1] + ", Y > Z.", SUM[3][:-1] + ", Y < Z."], "split")


@forgery("not sound")
def a_greater_value_called_the_lesser():
    return replaced(SUM[3], SUM[3].replace("max", "min"))


@forgery("does not follow")
def a_cut_at_the_wrong_side():
    return edited("alpha-beta", "A >= W1", "A <= W1")


@forgery("does not follow")
def a_window_with_its_ends_exchanged():
    return edited("alpha-beta", "value_lo_hi(C,A,B,W1)", "value_lo_hi(C,B,A,W1)")


@forgery("does not follow")
def a_window_that_is_too_narrow():
    return edited("fail-soft", "L is max(A,M)", "L is max(B,M)")


@forgery("does not follow")
def a_sign_forgotten():
    return edited("nega-alpha-beta", "value_lo(C,-B,W1)", "value_lo(C,B,W1)")


@forgery("does not follow")
def a_bound_that_goes_to_the_wrong_player():
    return edited("alpha-beta", "best_lo_hi(Cs1,W1,B,V)", "least_lo_hi(Cs1,W1,B,V)")


@forgery("does not follow")
def the_rest_of_a_list_skipped():
    return edited(
        "alpha-beta", "value_lo_hi(C,A,B,W1), best_lo_hi(Cs1,W1,B,V)", "value_lo_hi(C,A,B,V), value_lo_hi(C,A,B,W1)"
    )


@forgery("does not follow")
def white_and_black_exchanged():
    return edited(
        "alpha-beta", "inner(P), white(P), children(P,Cs), best_lo(", "inner(P), black(P), children(P,Cs), best_lo("
    )


@forgery("the derived program: .*does not follow that #2 > #1 .what win requires")
def a_call_that_is_not_allowed_but_for_a_test_of_its_own_answer():
    whole = "all(P,A,B,V) :- value(P,Y), V is max(A,Y)."
    window = "win(P,A,B,V) :- value(P,Y), V is max(A,min(B,Y))."
    declare = [
        ":- pred all(in:position, in:number, in:number, out:number) is total.",
        ":- pred win(in:position, in:number, in:number, out:number) is total.\n:- require win(P,A,B,V): A < B.",
    ]
    halves = ["all(P,A,B,V) :- win(P,A,B,V), V > A, V < B.", "all(P,A,B,V) :- value(P,Y), V is max(A,Y)."]
    steps = [
        step("define", [], [whole], declare=declare[0]),
        step("define", [], [window], declare=declare[1]),
        step("unfold", [whole], halves),
    ]
    return small(steps=steps, result=[*SUM, window, *halves], more="\n".join(declare).splitlines())


# contracts


def contract(
    relation, head="soft(P,A,R)", of="value(P,V)", clauses=("soft(P,A,R) :- value(P,R).",), require="", declare=None
):
    declare = declare or ":- pred soft(in:position, in:number, out:number) is total, cost." + (
        f"\n:- require soft(P,A,R): {require}." if require else ""
    )
    steps = [
        step("define", [], [], declare=declare, specification={"of": of, "head": head, "relation": list(relation)}),
        step("refine", [], clauses),
    ]
    return small(steps=steps, result=[*SUM, *clauses], more=declare.splitlines(), entry="soft")


@forgery("says nothing about value")
def a_contract_that_says_nothing():
    return contract(["R >= R"], clauses=("soft(P,A,42).",))


@forgery("says nothing about value")
def a_contract_about_something_else():
    return contract(["R >= A"], clauses=("soft(P,A,A).",))


@forgery("says nothing about value")
def a_contract_that_is_always_kept():
    return contract(["R >= V ; R < V"], clauses=("soft(P,A,42).",))


@forgery("says nothing")
def a_contract_without_lines():
    return contract([])


@forgery("nothing keeps the contract")
def a_contract_that_nothing_keeps():
    return contract(["R > V", "R < V"])


@forgery("need names of their own")
def a_contract_whose_value_is_its_own_answer():
    return contract(["R >= A"], of="value(P,R)", clauses=("soft(P,A,A).",))


@forgery("need names of their own")
def a_contract_whose_value_is_an_input():
    return contract(["R = A"], of="value(P,A)", clauses=("soft(P,A,A).",))


@forgery("must be inputs of soft|which is no plain function")
def a_contract_about_another_position():
    return contract(["R = V"], of="value(Q,V)")


@forgery("speaks of something else")
def a_contract_for_another_predicate():
    return contract(["R = V"], head="value(P,R)")


@forgery("which is no plain function")
def a_contract_that_answers_for_a_primitive():
    return contract(["R = V"], of="eval(P,V)")


@forgery("must be different variables")
def a_contract_with_one_variable_twice():
    return contract(["R = V"], head="soft(P,R,R)")


@forgery("only comparisons of the arguments")
def a_contract_with_a_loose_variable():
    return contract(["R >= V ; R <= X"])


@forgery("does not follow")
def a_contract_kept_by_the_wrong_clause():
    return contract(["R >= V"], clauses=("soft(P,A,A).",))


@forgery("two clauses of soft agree|does not follow")
def a_contract_kept_by_two_clauses_that_disagree():
    return contract(["R >= V"], clauses=("soft(P,A,R) :- value(P,R).", "soft(P,A,inf)."))


@forgery("soft has no clauses|has no clauses")
def a_contract_that_nobody_keeps():
    return contract(["R = V"], clauses=())


@forgery("no argument that always gets smaller")
def a_contract_kept_by_asking_itself():
    return contract(["R = V"], clauses=("soft(P,A,R) :- soft(P,A,R).",))


@forgery("no argument that always gets smaller")
def a_contract_kept_by_asking_itself_with_another_number():
    return contract(["R = V"], clauses=("soft(P,A,R) :- soft(P,0,R).",))


@forgery("soft covers|does not follow")
def a_contract_kept_only_where_it_is_easy():
    return contract(["R = V"], clauses=("soft(P,A,R) :- leaf(P), eval(P,R).",))


@forgery("a contract or clauses that define it")
def a_contract_and_a_definition():
    data = contract(["R = V"])
    data["steps"][0]["added"] = ["soft(P,A,R) :- value(P,R)."]
    return data


@forgery("has no contract")
def a_refinement_without_a_contract():
    return small(steps=[step("refine", [], ["value(P,42) :- leaf(P)."])], result=[*SUM, "value(P,42) :- leaf(P)."])


@forgery("plain functions that are defined already")
def a_definition_by_a_contract():
    data = contract(["R >= V"], clauses=("soft(P,A,inf).",))
    declare = ":- pred top(in:position, out:number) is total."
    data["steps"].insert(1, step("define", [], ["top(P,V) :- soft(P,0,V)."], declare=declare))
    data["result"] += [declare, "top(P,V) :- soft(P,0,V)."]
    return data


@forgery("has a clause about value")
def a_definition_with_a_clause_about_another():
    return defined(clauses=(LOW, "value(P,42) :- leaf(P)."))


@forgery("plain functions that are defined already")
def a_definition_by_itself():
    return defined(clauses=("low(P,A,V) :- low(P,A,V).",))


@forgery("covers|does not follow")
def a_definition_with_a_gap():
    return defined(clauses=("low(P,A,A) :- value(P,Y), A > Y.",))


@forgery("two clauses of low agree|does not follow")
def a_definition_that_says_two_things():
    return defined(clauses=(LOW, "low(P,A,A)."))


@forgery("two clauses of value agree|does not follow")
def a_plain_program_that_says_two_things():
    return small(clauses=[*SUM, "value(P,42) :- leaf(P)."])


@forgery("value covers|does not follow")
def a_plain_program_with_a_gap():
    return small(clauses=SUM[1:])


# infinity and numbers


@forgery("an infinity plus its opposite")
def a_sum_of_infinities():
    return honest("branch-and-bound")


@forgery("an infinity plus its opposite")
def a_difference_that_is_zero_but_for_infinity():
    return small(DEFINE.splitlines(), [*SUM, "low(P,A,V) :- value(P,Y), D is A-A, V is max(A,Y)+D."])


@forgery("does not follow")
def infinity_taken_for_a_number():
    return replaced(SUM[2], "best([],-1000).")


@forgery("number other than 0")
def nothing_times_infinity():
    return small(clauses=swapped(SUM[0], "value(P,V) :- leaf(P), eval(P,X), V is 0*X."))


@forgery("number other than 0")
def division_by_nothing():
    return small(clauses=swapped(SUM[0], "value(P,V) :- leaf(P), eval(P,X), V is X/0."))


@forgery("number other than 0")
def a_product_of_two_values():
    return small(clauses=swapped(SUM[0], "value(P,V) :- leaf(P), eval(P,X), V is X*X."))


@forgery("does not follow")
def numbers_taken_for_whole_ones():
    declared = [":- fact eval(P,V): V > 0, V < 1.", ":- fact value(P,V): V > 0, V < 1."]
    return small(declared, ["value(P,V) :- leaf(P), eval(P,V).", "value(P,0) :- inner(P)."])


@forgery("beyond what is calculated exactly|too many digits")
def a_number_that_a_double_does_not_hold():
    return small(clauses=swapped(SUM[2], "best([],99999999999999999999)."))


@forgery("too many digits|beyond")
def a_number_of_a_thousand_digits():
    return small(clauses=swapped(SUM[2], f"best([],{'9' * 1000})."))


# kinds and variables


@forgery("not the same kind")
def a_position_compared_with_a_number():
    return replaced(SUM[0], "value(P,V) :- leaf(P), eval(P,V), P >= V.")


@forgery("not the same kind")
def a_list_that_is_a_number():
    return small(clauses=swapped(SUM[2], "best([],[])."))


@forgery("not the same kind")
def a_list_of_numbers_where_positions_are():
    return small(clauses=swapped(SUM[3], "best([C|Cs],V) :- value(C,Y), best(Cs,Z), V is max(C,Z)."))


@forgery("not the same kind")
def a_position_that_is_a_list():
    return small(clauses=swapped(SUM[1], "value(P,V) :- inner(P), children(P,Cs), value(Cs,V)."))


@forgery("not the same kind")
def a_word_that_is_a_number():
    return small(clauses=swapped(SUM[2], "best([],lost)."))


@forgery("computed|a value")
def a_variable_computed_from_itself():
    return small(clauses=swapped(SUM[3], "best([C|Cs],V) :- value(C,Y), best(Cs,Z), V is V+1."))


@forgery("computed twice")
def a_variable_computed_twice():
    return small(clauses=swapped(SUM[3], "best([C|Cs],V) :- value(C,Y), best(Cs,Z), V is Y, V is Z."))


@forgery("comes from elsewhere")
def a_variable_computed_and_called():
    return small(clauses=swapped(SUM[3], "best([C|Cs],V) :- value(C,V), best(Cs,Z), V is Z."))


@forgery("nothing gives Cs, Q a value")
def a_variable_out_of_nowhere():
    return replaced(SUM[1], "value(P,V) :- inner(P), children(Q,Cs), best(Cs,V).")


@forgery("nothing gives W a value")
def an_answer_out_of_nowhere():
    return replaced(SUM[0], "value(P,W) :- leaf(P), eval(P,V).")


@forgery("not sound")
def nameless_variables_taken_for_one():
    return replaced(SUM[3], "best([C|Cs],V) :- value(C,_), best(Cs,Z), V is max(Z,Z).")


@forgery("not sound")
def a_variable_captured():
    return edited(
        "alpha-beta", "best_lo(Cs,A,V) :- best(Cs,Y), V is max(A,Y)", "best_lo(Cs,Y,V) :- best(Cs,A), V is max(Y,Y)"
    )


@forgery("stands for two things")
def one_name_for_two_positions():
    return replaced(SUM[3], "best([C|Cs],V) :- value(C,Y), children(C,Cs), inner(C), best(Cs,Z), V is max(Y,Z).")


# a second round: what the checker could be made to look at for ever, or to take for granted


@forgery("too large to be looked at")
def a_number_doubled_sixty_times():
    doubles = ", ".join(f"X{i + 1} is X{i}+X{i}" for i in range(60))
    return small(clauses=[f"value(P,X60) :- leaf(P), eval(P,X0), {doubles}.", *SUM[1:]])


@forgery("too large to be looked at")
def a_call_within_a_call_forty_times():
    calls = ", ".join(f"f(X{i},X{i},X{i + 1})" for i in range(40))
    heads = [*HEADS, ":- pred f(in:number, in:number, out:number) is total."]
    return small(heads=heads, clauses=[f"value(P,X40) :- leaf(P), eval(P,X0), {calls}.", *SUM[1:], "f(A,B,A)."])


@forgery("combinations of tests")
def more_tests_than_can_be_tried():
    heads = [*HEADS, *(f":- pred t{i}(in:position)." for i in range(14))]
    return small(heads=heads, clauses=[f"value(P,0) :- {', '.join(f't{i}(P)' for i in range(14))}.", *SUM])


@forgery("lemmas are more than")
def a_hundred_lemmas():
    return small(
        [":- pred guess(in:position, out:number) is total.", *[":- lemma value(P,V), guess(P,H): H <= V."] * 100]
    )


@forgery("does not follow that #2 > #1")
def a_window_that_only_the_caller_of_the_caller_keeps():
    declared = [":- pred w(in:position, in:number, in:number, out:number) is total.", ":- require w(P,A,B,V): A < B."]
    clauses = [
        "w(P,A,B,V) :- leaf(P), eval(P,V).",
        "w(P,A,B,V) :- inner(P), children(P,Cs), wl(Cs,B,A,V).",
        "wl([],A,B,A).",
        "wl([C|Cs],A,B,V) :- w(C,A,B,V).",
    ]
    return small(
        declared, [*SUM, *clauses], heads=[*HEADS, ":- pred wl(in:list, in:number, in:number, out:number) is total."]
    )


COPY = ["cp([],[]).", "cp([C|Cs],[C|Ds]) :- cp(Cs,Ds)."]


def copied(new):
    declared = [":- pred cp(in:list, out:list) is total."]
    return small(declared, [*SUM, *COPY], steps=[step("replace", [COPY[1]], [new])], result=[*SUM, COPY[0], new])


@forgery("does not follow")
def a_list_that_loses_an_item():
    return copied("cp([C|Cs],Ds) :- cp(Cs,Ds).")


@forgery("no argument that always gets smaller")
def a_list_copied_by_itself():
    return copied("cp([C|Cs],Ds) :- cp([C|Cs],Ds).")


@forgery("does not follow that false")
def a_list_that_is_never_empty():
    return replaced(SUM[1], "value(P,V) :- inner(P), children(P,[C|Cs]), best([C|Cs],V).")


@forgery("does not follow that false")
def the_third_of_three_cases_forgotten():
    declared = [*(f":- pred {t}(in:position)." for t in "xyz"), ":- either x, y, z."]
    return small(declared, ["value(P,1) :- x(P).", "value(P,2) :- y(P).", *SUM[2:]])


@forgery("does not follow")
def a_bound_taken_for_the_value():
    declared = [
        ":- pred probe(in:position, out:number, out:number) is total.",
        ":- lemma value(P,V), probe(P,L,U): L <= V, U >= V.",
    ]
    new = "value(P,L) :- leaf(P), probe(P,L,U)."
    return small(declared, steps=[step("replace", [SUM[0]], [new])], result=[*SUM[1:], new])


@forgery("does not follow")
def one_word_for_another():
    words = ["pick(N,left) :- N > 0.", "pick(N,right) :- N <= 0."]
    new = "pick(N,left) :- N <= 0."
    return small(
        [":- pred pick(in:number, out:move) is total."],
        [*SUM, *words],
        steps=[step("replace", [words[1]], [new])],
        result=[*SUM, words[0], new],
    )


@forgery("an infinity plus its opposite")
def infinity_less_infinity():
    return small(clauses=["value(P,V) :- leaf(P), V is inf-inf.", *SUM[1:]])


@forgery("number other than 0")
def nothing_in_disguise():
    return small(clauses=["value(P,V) :- leaf(P), eval(P,X), V is (1-1)*X.", *SUM[1:]])


@forgery("number other than 0")
def division_by_nothing_in_disguise():
    return small(clauses=["value(P,V) :- leaf(P), eval(P,X), V is X/(1-1).", *SUM[1:]])


# the steps and the file


@forgery("removes a clause that is not there")
def a_step_that_removes_what_is_not_there():
    return small(steps=[step("replace", ["value(P,42)."], [SUM[0]])])


@forgery("takes 1 clauses, not 0")
def a_clause_out_of_nothing():
    return small(steps=[step("replace", [], ["value(P,42)."])], result=[*SUM, "value(P,42)."])


@forgery("not about one predicate")
def a_step_about_two_predicates():
    return small(steps=[step("join", [SUM[0], SUM[2]], [SUM[0]])], result=[SUM[0], SUM[1], SUM[3]])


@forgery("do not lead to the result")
def a_result_that_no_step_leads_to():
    return small(result=[*SUM[1:], "value(P,42) :- leaf(P)."])


@forgery("do not lead to the result")
def a_result_with_one_clause_more():
    return small(result=[*SUM, "value(P,42) :- leaf(P)."])


@forgery("declares other things")
def a_result_that_requires_more():
    return small(result=SUM, more=[":- fact value(P,V): V = 42."])


@forgery("declares other things")
def a_result_without_a_choice():
    data = small()
    data["result"] = [line for line in data["result"] if "either" not in line]
    return data


@forgery("the entry nobody has no clauses")
def an_entry_that_is_not_there():
    return small(entry="nobody")


@forgery("the entry eval has no clauses")
def an_entry_that_is_a_primitive():
    return small(entry="eval")


@forgery("only a definition declares something")
def a_declaration_in_another_step():
    return small(steps=[step("replace", [SUM[0]], [SUM[0]], declare=DEFINE)])


@forgery("no rule called")
def a_rule_of_its_own():
    return small(steps=[step("believe", [SUM[0]], ["value(P,42)."])])


@forgery("is not a predicate with clauses")
def clauses_for_a_primitive():
    return small(steps=[step("fold", [], ["eval(P,42)."])], result=[*SUM, "eval(P,42)."])


def _again(data, change):
    data = copy.deepcopy(data)
    change(data)
    return data


def version2():
    data = small()
    statement = verify(data).statement
    return {**data, "version": 2, "axioms": list(statement.axioms), "theorem": list(statement.theorem)}


@forgery("states theorem other than what was verified")
def a_theorem_that_says_more():
    return _again(version2(), lambda d: d["theorem"].append("P = NP"))


@forgery("states theorem other than what was verified")
def no_theorem():
    return _again(version2(), lambda d: d.update(theorem=[]))


@forgery("states axioms other than what was verified")
def an_axiom_left_out():
    return _again(version2(), lambda d: d["axioms"].pop(2))


@forgery("'theorem' is missing")
def a_second_version_without_a_theorem():
    return _again(version2(), lambda d: d.pop("theorem"))


@forgery("which nothing reads")
def a_theorem_in_a_file_that_has_none():
    return _again(small(), lambda d: d.update(theorem=["alpha-beta is right"]))


@forgery("version True is not known")
def a_version_that_is_true():
    return _again(small(), lambda d: d.update(version=True))


@forgery("version 3 is not known")
def a_version_to_come():
    return _again(small(), lambda d: d.update(version=3))


@forgery("not ASCII")
def a_letter_that_only_looks_like_one():
    return _again(small(), lambda d: d["seed"].append("v\u0430lue(P,42) :- leaf(P)."))


@forgery("not ASCII")
def digits_of_another_script():
    return small(clauses=swapped(SUM[2], "best([],\u0664\u0662)."))


@forgery("not ASCII")
def a_blank_that_does_not_break():
    return _again(small(), lambda d: d["seed"].append("value(P,42)\u00a0:- leaf(P)."))


@forgery("cannot be printed")
def a_name_that_writes_backwards():
    return _again(small(), lambda d: d.update(problem="alpha\u202eateb"))


@forgery("cannot be printed")
def a_name_with_lines_of_its_own():
    return _again(small(), lambda d: d.update(problem="x: 73 steps hold\nTheorem (verified):"))


@forgery("cannot be printed")
def a_reason_that_clears_the_screen():
    return small(steps=[{**step("replace", [SUM[0]], [SUM[0]]), "because": "\x1b[2J"}])


@forgery("cannot read")
def a_clause_behind_a_comment():
    return _again(small(), lambda d: d["seed"].append("% value(P,42)."))


@forgery("nothing after the clause")
def two_clauses_in_one_text():
    return replaced(SUM[0], "value(P,42) :- leaf(P). value(P,V) :- leaf(P), eval(P,V).")


@forgery("brackets within brackets")
def brackets_without_end():
    return small(clauses=swapped(SUM[2], f"best([],{'(' * 500}1{')' * 500})."))


@forgery("more than .* parts|more than .* characters")
def a_sum_without_end():
    return small(clauses=swapped(SUM[2], f"best([],{'+'.join(['1'] * 3000)})."))


@forgery("is no arithmetic")
def a_function_that_is_not_known():
    return small(clauses=swapped(SUM[3], "best([C|Cs],V) :- value(C,Y), best(Cs,Z), V is mean(Y,Z)."))


@forgery("expected a goal|expected a term|no head|is no comparison")
def a_comparison_for_a_head():
    return _again(small(), lambda d: d["seed"].append("1 >= 2 :- leaf(P)."))


TYPES = {
    "steps that are no list": lambda d: d.update(steps={}),
    "a step that is no object": lambda d: d.update(steps=[3]),
    "a seed that is a text": lambda d: d.update(seed="value(P,42)."),
    "a seed of numbers": lambda d: d.update(seed=[1, 2]),
    "a result that is missing": lambda d: d.pop("result"),
    "an entry that is a number": lambda d: d.update(entry=5),
    "an entry with a blank": lambda d: d.update(entry="value or so"),
    "a problem that is nothing": lambda d: d.update(problem=None),
    "notes that are a list": lambda d: d.update(notes=[]),
    "removed that is nothing": lambda d: d.update(steps=[{**step("replace"), "removed": None}]),
    "data that is a list": lambda d: d.update(steps=[{**step("replace", [SUM[0]], [SUM[0]]), "data": []}]),
    "a goal that is a number": lambda d: d.update(steps=[step("replace", [SUM[0]], [SUM[0]], goal=3)]),
    "a specification that is a text": lambda d: d.update(steps=[step("define", declare=DEFINE, specification="value")]),
    "a relation of numbers": lambda d: d.update(
        steps=[
            step("define", declare=DEFINE, specification={"of": "value(P,V)", "head": "low(P,A,R)", "relation": [1]})
        ]
    ),
    "a declaration that is an object": lambda d: d.update(steps=[step("define", declare={})]),
    "a reason that is a number": lambda d: d.update(steps=[{**step("replace", [SUM[0]], [SUM[0]]), "because": 3}]),
    "a rule that is a list": lambda d: d.update(steps=[{**step("replace"), "rule": ["replace"]}]),
    "a format of another kind": lambda d: d.update(format="ludwin-champion"),
    "an unknown key of a step": lambda d: d.update(steps=[{**step("replace", [SUM[0]], [SUM[0]]), "sound": True}]),
    "an unknown key of data": lambda d: d.update(steps=[step("replace", [SUM[0]], [SUM[0]], believe="me")]),
    "an arity that does not fit": lambda d: d.update(
        seed=[*d["seed"], "value(P,V,W) :- leaf(P), eval(P,V), eval(P,W)."]
    ),
    "a predicate that is not declared": lambda d: d.update(seed=[*d["seed"], "other(P,V) :- value(P,V)."]),
}
RAW = {
    "a key twice": (b'{"format": "ludwin-derivation", "format": "ludwin-derivation"}', "stands twice"),
    "a nan": (b'{"format": "ludwin-derivation", "version": NaN}', "NaN is no number"),
    "an infinity": (b'{"format": "ludwin-derivation", "version": Infinity}', "Infinity is no number"),
    "a number of many digits": (b'{"version": ' + b"9" * 5000 + b"}", "5000 digits"),
    "a number beyond all": (b'{"version": 1e999}', "not understood"),
    "nesting without end": (b"[" * 200_000, "nested too deeply|no derivation"),
    "no text": (b"\xff\xfe\x00", "not UTF-8"),
    "nothing": (b"", "no derivation"),
    "half a file": (json.dumps(small()).encode()[:300], "no derivation"),
    "a list": (b"[]", "begins with its format"),
    "a mark of byte order": (b"\xef\xbb\xbf{}", "no derivation"),
}


@pytest.mark.parametrize("name", FORGERIES)
def test_a_forgery_is_refused_for_its_reason(name):
    make, reason = FORGERIES[name]
    with pytest.raises(RefusedProof, match=reason) as told:
        verify(make(), "forged.json")
    assert str(told.value).startswith("forged.json: ") and "\n" not in str(told.value)


@pytest.mark.parametrize("name", TYPES)
def test_a_file_of_wrong_types_is_refused_in_one_line(name):
    data = small()
    TYPES[name](data)
    with pytest.raises(RefusedProof, match=r"^forged\.json: [^\n]+$"):
        verify_bytes(json.dumps(data).encode(), "forged.json")


@pytest.mark.parametrize("name", RAW)
def test_bytes_that_are_no_file_are_refused_in_one_line(name):
    raw, reason = RAW[name]
    with pytest.raises(RefusedProof, match=reason):
        verify_bytes(raw, "forged.json")


def test_bytes_changed_at_random_never_crash_the_checker():
    raw, rng = json.dumps(contract(["R = V"])).encode(), Random(0)
    refused = 0
    for _ in range(400):
        broken = bytearray(raw)
        for _ in range(rng.randint(1, 3)):
            at = rng.randrange(len(broken))
            broken[at : at + rng.randrange(3)] = bytes(
                rng.choice(b'{}[]",:0123456789.-+eE \\\x00\xff abVP()=<>|_') for _ in range(rng.randrange(3))
            )
        try:
            verify_bytes(bytes(broken), "forged.json")
        except RefusedProof as error:
            refused += 1
            assert "\n" not in str(error)
    assert refused > 300


def test_a_file_of_many_steps_that_are_obvious_is_given_up_in_time(monkeypatch):
    monkeypatch.setattr("ludwin.discover.checker.theory.MOST_SECONDS", 0.5)
    tests = [f"t{k}" for k in range(10)]  # 2048 combinations to look at for every step
    asked = f"value(P,V) :- leaf(P), eval(P,V), {', '.join(f'{test}(P)' for test in tests)}."
    one, two = SUM[1], SUM[1].replace("Cs", "Ds")
    steps = [step("rename", [one], [two]), step("rename", [two], [one])] * 400
    began = time.monotonic()
    with pytest.raises(RefusedProof, match=r"the checker gives up after 0\.5 seconds"):
        verify(
            small(
                world=[*WORLD, *(f":- pred {test}(in:position)." for test in tests)], clauses=[*SUM, asked], steps=steps
            )
        )
    assert time.monotonic() - began < 20


def test_the_corpus_has_more_than_a_hundred_forgeries():
    assert len(FORGERIES) > 100 and len(TYPES) + len(RAW) > 30


def test_what_the_forgeries_are_made_of_is_honest():
    assert verify(small()).steps == 0
    assert verify(defined()).steps == 1
    assert verify(contract(["R = V"])).steps == 2
    assert verify(version2()).steps == 0


# true, but not what the name suggests: the theorem says so


def theorem(data):
    return "\n".join(verify(data).statement.theorem)


def test_a_file_without_steps_proves_that_the_plain_program_is_the_plain_program():
    assert "the derived program is the plain program itself" in theorem(small())


def test_an_entry_that_is_another_predicate_is_named_in_the_theorem():
    assert theorem({**honest("alpha-beta"), "entry": "least"}).startswith("derived least(")


def test_a_weak_contract_is_told_in_full():
    told = theorem(contract(["R >= V"], clauses=("soft(P,A,inf).",)))
    assert told.endswith("then R >= V") and "R = V" not in told


def test_a_plain_program_that_is_no_minimax_is_printed():
    data = small(clauses=["value(P,42).", *SUM[2:]])
    assert "value(P,42)." in verify(data).statement.definitions
