% Plain minimax beside a table: `probe` tells bounds of a value that are already known (-inf and inf if none).

:- pred value(in:position, out:number) is total, cost.
:- pred best(in:list, out:number) is total, cost.
:- pred least(in:list, out:number) is total, cost.
:- pred leaf(in:position).
:- pred inner(in:position).
:- pred white(in:position).
:- pred black(in:position).
:- pred children(in:position, out:list) is total(inner), smaller.
:- pred eval(in:position, out:number) is total(leaf), cost.
:- pred probe(in:position, out:number, out:number) is total.
:- either leaf, inner.
:- either white, black.
:- lemma value(P,V), probe(P,L,U): L <= V, U >= V.

value(P,V) :- leaf(P), eval(P,V).
value(P,V) :- inner(P), white(P), children(P,Cs), best(Cs,V).
value(P,V) :- inner(P), black(P), children(P,Cs), least(Cs,V).
best([],-inf).
best([C|Cs],V) :- value(C,Y), best(Cs,Z), V is max(Y,Z).
least([],inf).
least([C|Cs],V) :- value(C,Y), least(Cs,Z), V is min(Y,Z).
