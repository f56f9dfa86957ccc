% Plain minimax over lists of children. White maximises, black minimises; nobody need alternate.

:- pred value(in:position, out:number) is total, cost.
:- pred best(in:list, out:number) is total, cost.
:- pred least(in:list, out:number) is total, cost.
:- pred leaf(in:position).
:- pred inner(in:position).
:- pred white(in:position).
:- pred black(in:position).
:- pred children(in:position, out:list) is total(inner), smaller.
:- pred eval(in:position, out:number) is total(leaf), cost.
:- either leaf, inner.
:- either white, black.

value(P,V) :- leaf(P), eval(P,V).
value(P,V) :- inner(P), white(P), children(P,Cs), best(Cs,V).
value(P,V) :- inner(P), black(P), children(P,Cs), least(Cs,V).
best([],-inf).
best([C|Cs],V) :- value(C,Y), best(Cs,Z), V is max(Y,Z).
least([],inf).
least([C|Cs],V) :- value(C,Y), least(Cs,Z), V is min(Y,Z).
