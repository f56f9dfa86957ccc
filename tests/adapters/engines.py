"""An engine that speaks UCI or XBoard badly, as its arguments say. It knows nothing of ludwin: it plays from a list."""

import sys
import time


def say(text):
    sys.stdout.write(text + "\n")
    sys.stdout.flush()


def uci(act):
    asked = 0
    for line in sys.stdin:
        words = line.split()
        if line.startswith("uci\n"):
            if act == "mute":
                time.sleep(60)
            say("id name Bad")
            say("option name Skill Level type spin default 1 min 0 max 20")
            say("uciok")
        elif words[:1] == ["isready"]:
            say("readyok")
        elif words[:1] == ["setoption"]:
            with open("options", "a") as file:
                file.write(line)
        elif words[:1] == ["position"]:
            with open("told", "a") as file:
                file.write(line)
        elif words[:1] == ["go"]:
            asked += 1
            answer(act, asked)
        elif words[:1] == ["quit"]:
            return


def answer(act, asked):
    if act == "hang":
        time.sleep(60)
    elif act == "die":
        sys.stderr.write("out of memory\n")
        sys.exit(3)
    elif act == "flood":
        for k in range(40_000):
            say(f"info depth {k} score cp 3 nodes {k} pv a2a3 a7a6 b2b3")
        say("bestmove g1f3")
    elif act == "blank":
        sys.stdout.buffer.write("\u00a0\n\x1c\n\u2003 \n".encode())
        say("bestmove g1f3")
    elif act == "endless":
        sys.stdout.write("info string " + "x" * 200_000)
        sys.stdout.flush()
        time.sleep(60)
    elif act == "score":
        say("info depth 3 score cp 25 nodes 77 multipv 1 pv g1f3")
        say("info depth 4 score cp 900 lowerbound nodes 99")
        say("info string score mate 3")
        say("bestmove g1f3 ponder g8f6")
    else:
        say(
            {"none": "bestmove (none)", "empty": "bestmove", "illegal": "bestmove e2e5", "odd": "bestmove \x07\x00"}[
                act
            ]
        )


def xboard(act):
    for line in sys.stdin:
        words = line.split()
        if words[:1] == ["protover"]:
            say('feature ping=1 setboard=1 usermove=1 option="Skill -spin 1 0 9" done=1')
        elif words[:1] == ["ping"]:
            say(f"pong {words[1]}")
        elif words[:1] == ["go"]:
            if act == "slow":
                continue
            say({"resign": "resign", "illegal": "move e2e5", "good": "  3 25 1 77 g1f3\nmove g1f3"}[act])
        elif words[:1] == ["?"]:
            say("move b1c3")
        elif words[:1] == ["quit"]:
            return


if __name__ == "__main__":
    {"uci": uci, "xboard": xboard}[sys.argv[1]](sys.argv[2])
