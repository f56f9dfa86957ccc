% Negamax with two moves in every position, for the search by single clauses.

:- pred neg(in:position, out:number) is total, cost.
:- pred maxi(in:number, in:number, out:number) is total.
:- pred leaf(in:position).
:- pred inner(in:position).
:- pred l(in:position, out:position) is total(inner), smaller.
:- pred r(in:position, out:position) is total(inner), smaller.
:- pred mine(in:position, out:number) is total(leaf), cost.
:- either leaf, inner.

neg(P,A) :- leaf(P), mine(P,A).
neg(P,A) :- inner(P), l(P,L), r(P,R), neg(L,B), neg(R,C), D is -B, E is -C, maxi(D,E,A).
maxi(B,C,B) :- B >= C.
maxi(B,C,C) :- C >= B.
