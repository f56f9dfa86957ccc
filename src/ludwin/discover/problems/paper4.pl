% Section 4 of the paper, repaired: clause 1 passes the depth on, clause 6 returns the move and not the reply,
% clause 7 (the end of the search) is there, and of two equal moves takemax keeps the first.  The search ends because the
% depth does: it is finite, and falls by one until it is 1.

:- pred value(in:position, in:number, out:move, out:number) is total, cost.
:- pred maxmovelist(in:position, in:list, in:number, out:move, out:number) is total, cost.
:- pred maxmove(in:position, in:move, in:number, out:move, out:number) is total, cost.
:- pred takemax(in:move, in:number, in:move, in:number, out:move, out:number) is total.
:- pred possiblemoves(in:position, out:list) is total.
:- pred play(in:position, in:move, out:position) is total.
:- pred evaluate(in:position, out:number) is total, cost.
:- require value(Pos,D,Move,Eval): D < inf.
:- require maxmovelist(Pos,Ls,D,M,Eval): D < inf.
:- require maxmove(Pos,M,D,N,Eval): D < inf.

value(Pos,D,Move,Eval) :- possiblemoves(Pos,List), maxmovelist(Pos,List,D,Move,Eval).
maxmovelist(Pos,[],D,none,-1000).
maxmovelist(Pos,[Move|Ls],D,M,Eval) :- maxmove(Pos,Move,D,M1,Eval1), maxmovelist(Pos,Ls,D,M2,Eval2), takemax(M1,Eval1,M2,Eval2,M,Eval).
takemax(M1,Ev1,M2,Ev2,M1,Ev1) :- Ev1 >= Ev2.
takemax(M1,Ev1,M2,Ev2,M2,Ev2) :- Ev1 < Ev2.
maxmove(Pos,M,D,M,Ev1) :- play(Pos,M,P1), D1 is D-1, possiblemoves(P1,LM), maxmovelist(P1,LM,D1,M1,Ev2), Ev1 is -Ev2, D > 1.
maxmove(Pos,M,D,M,Ev1) :- play(Pos,M,P1), evaluate(P1,Ev2), Ev1 is -Ev2, D <= 1.
