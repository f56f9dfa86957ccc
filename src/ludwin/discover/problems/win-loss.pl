% Plain minimax where every value is known to lie between a loss, -1, and a win, 1.

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
:- fact eval(P,V): V >= -1, V <= 1.
:- fact value(P,V): V >= -1, V <= 1.
:- fact best(Cs,V): V >= -1, V <= 1.
:- fact least(Cs,V): V >= -1, V <= 1.

value(P,V) :- leaf(P), eval(P,V).
value(P,V) :- inner(P), white(P), children(P,Cs), best(Cs,V).
value(P,V) :- inner(P), black(P), children(P,Cs), least(Cs,V).
best([],-1).
best([C|Cs],V) :- value(C,Y), best(Cs,Z), V is max(Y,Z).
least([],1).
least([C|Cs],V) :- value(C,Y), least(Cs,Z), V is min(Y,Z).
