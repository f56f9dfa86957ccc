% The cheapest way to a solution: the plain search of a puzzle.  `bound` never exceeds the true cost; steps have finite costs
% (an edge that costs infinity is no edge), so that every sum is a number.

:- pred cost(in:position, out:number) is total, cost.
:- pred cheapest(in:list, out:number) is total, cost.
:- pred solved(in:position).
:- pred open(in:position).
:- pred edges(in:position, out:list) is total(open), smaller.
:- pred step(in:edge, out:number, out:position) is total, smaller.
:- pred bound(in:position, out:number) is total.
:- fact step(E,C,Q): C > -inf, C < inf.
:- either solved, open.
:- lemma cost(P,V), bound(P,H): H <= V.

cost(P,0) :- solved(P).
cost(P,V) :- open(P), edges(P,Es), cheapest(Es,V).
cheapest([],inf).
cheapest([E|Es],V) :- step(E,C,Q), cost(Q,Y), cheapest(Es,Z), V is min(C+Y,Z).
