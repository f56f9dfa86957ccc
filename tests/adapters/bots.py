"""A program that speaks the process protocol, and misbehaves as its first argument says. It knows nothing of ludwin."""

import json
import os
import signal
import subprocess
import sys
import time


def say(thing):
    sys.stdout.write((thing if isinstance(thing, str) else json.dumps(thing)) + "\n")
    sys.stdout.flush()


def spoil(act, asked, message):
    """Do what goes wrong at a question; return True if nothing more is to be said."""
    first = message["legal"][0]
    plays = {
        "cheat": {"move": 99},
        "wrong-name": {"move": "castle"},
        "no-move": {"value": 1},
        "null": {"move": None},
        "true": {"move": True},
        "float": {"move": 1.0},
        "list": [1],
        "number": "7",
        "garbage": "I would rather not",
        "nan": '{"move": 1, "value": NaN}',
        "huge": '{"move": 1, "value": 1e999}',
        "endless-number": '{"move": ' + "9" * 5000 + "}",
        "twice": '{"move": 1, "move": 2}',
        "bad-value": {"move": 1, "value": "good"},
        "bad-nodes": {"move": 1, "nodes": -3},
        "deep": '{"move": 1, "info": ' + "[" * 5000 + "]" * 5000 + "}",
        "wrong-id": {"move": 1, "id": 12345},
        "long-line": json.dumps({"info": "x" * 100_000}),
    }
    if act in plays:
        say(plays[act])
    elif act == "latin":
        sys.stdout.buffer.write(b'{"move": "\xe9\xff"}\n')
        sys.stdout.buffer.flush()
    elif act == "hang":
        time.sleep(60)
    elif act == "deaf":
        os.close(0)
        time.sleep(60)
    elif act == "stop":
        os.kill(os.getpid(), signal.SIGSTOP)
    elif act == "stubborn":
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        while True:
            time.sleep(1)
    elif act == "spin":
        while True:
            pass
    elif act == "half":
        sys.stdout.write('{"move": ')
        sys.stdout.flush()
        time.sleep(60)
    elif act == "half-exit":
        sys.stdout.write('{"move": 1}')
        sys.stdout.flush()
        sys.exit(0)
    elif act == "exit":
        print("first words\nlast words", file=sys.stderr)
        sys.exit(3)
    elif act == "die":
        os.kill(os.getpid(), signal.SIGSEGV)
    elif act == "mute":
        os.close(1)
        time.sleep(60)
    elif act == "flood":
        while True:
            say({"info": "x" * 1000})
    elif act == "flood-no-newline":
        while True:
            sys.stdout.write("x" * 1000)
    elif act == "flood-stderr":
        sys.stderr.write("noise\n" * 500_000)
        return False
    elif act == "two-answers":
        line = json.dumps({"move": first["move"]}) + "\n"
        os.write(1, 2 * line.encode())  # both at once: whoever reads the first has the second, however busy the machine
    elif act == "children":
        child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(61)"])
        with open("children", "a") as file:
            file.write(f"{child.pid}\n")
        time.sleep(60)
    elif act == "slow":
        time.sleep(0.4)
        return False
    elif act == "once" and asked == 2:
        sys.exit(5)
    else:
        return False
    return True


def main(act):
    with open("pids", "a") as file:
        file.write(f"{os.getpid()}\n")
    if act == "early-exit":
        print("cannot find my book", file=sys.stderr)
        sys.exit(4)
    if act == "early-hang":
        time.sleep(60)
    asked = 0
    for line in sys.stdin:
        message = json.loads(line)
        with open(f"log-{os.getpid()}", "a") as file:
            file.write(line)
        if message["type"] == "hello":
            answer = {"type": "hello", "version": {"other-version": 2, "true-version": True}.get(act, 1)}
            say("READY" if act == "rude" else answer)
        elif message["type"] == "quit":
            with open("quits", "a") as file:
                file.write(f"{os.getpid()}\n")
            break
        elif message["type"] == "move":
            asked += 1
            if not spoil(act, asked, message):
                say({"info": "thinking"})
                say({"move": message["legal"][message["seed"] % len(message["legal"])]["move"], "value": 0.5})
    if act == "stays":
        time.sleep(60)


if __name__ == "__main__":
    main(sys.argv[1])
