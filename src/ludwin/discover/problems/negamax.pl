% Plain negamax over lists of children: every value is seen by the mover of its own position.
% `mine` is the evaluation from that side; the sides alternate.

:- pred value(in:position, out:number) is total, cost.
:- pred best(in:list, out:number) is total, cost.
:- pred leaf(in:position).
:- pred inner(in:position).
:- pred children(in:position, out:list) is total(inner), smaller.
:- pred mine(in:position, out:number) is total(leaf), cost.
:- either leaf, inner.

value(P,V) :- leaf(P), mine(P,V).
value(P,V) :- inner(P), children(P,Cs), best(Cs,V).
best([],-inf).
best([C|Cs],V) :- value(C,Y), best(Cs,Z), V is max(-Y,Z).
