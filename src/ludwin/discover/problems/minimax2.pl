% Minimax with two moves in every position: section 3 of the paper, with positions threaded through.
% Without them `maxeval(B1)` and `maxeval(C1)` could not be told apart.

:- pred max(in:position, out:number) is total, cost.
:- pred min(in:position, out:number) is total, cost.
:- pred maxi(in:number, in:number, out:number) is total.
:- pred mini(in:number, in:number, out:number) is total.
:- pred leaf(in:position).
:- pred inner(in:position).
:- pred l(in:position, out:position) is total(inner), smaller.
:- pred r(in:position, out:position) is total(inner), smaller.
:- pred eval(in:position, out:number) is total(leaf), cost.
:- either leaf, inner.

max(P,A) :- leaf(P), eval(P,A).
max(P,A) :- inner(P), l(P,L), r(P,R), min(L,B), min(R,C), maxi(B,C,A).
min(P,A) :- leaf(P), eval(P,A).
min(P,A) :- inner(P), l(P,L), r(P,R), max(L,B), max(R,C), mini(B,C,A).
maxi(B,C,B) :- B >= C.
maxi(B,C,C) :- C >= B.
mini(B,C,B) :- B <= C.
mini(B,C,C) :- C <= B.
