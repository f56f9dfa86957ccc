% Plain minimax in which the players alternate: two kinds of nodes, two kinds of lists.

:- pred max(in:position, out:number) is total, cost.
:- pred min(in:position, out:number) is total, cost.
:- pred best(in:list, out:number) is total, cost.
:- pred least(in:list, out:number) is total, cost.
:- pred leaf(in:position).
:- pred inner(in:position).
:- pred children(in:position, out:list) is total(inner), smaller.
:- pred eval(in:position, out:number) is total(leaf), cost.
:- either leaf, inner.

max(P,V) :- leaf(P), eval(P,V).
max(P,V) :- inner(P), children(P,Cs), best(Cs,V).
min(P,V) :- leaf(P), eval(P,V).
min(P,V) :- inner(P), children(P,Cs), least(Cs,V).
best([],-inf).
best([C|Cs],V) :- min(C,Y), best(Cs,Z), V is max(Y,Z).
least([],inf).
least([C|Cs],V) :- max(C,Y), least(Cs,Z), V is min(Y,Z).
