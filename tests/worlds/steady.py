"""A driver of sumo's carts: hold the middle, with a memory of the last gap."""

GAIN = 0.5
MEMORY = {"last": float, "ticks": int}
WEIGHTS = (0.25, 0.5, 0.25)


def control(view, memory):
    trend = view.gap - memory.last
    memory.last = view.gap
    memory.ticks += 1
    total = 0.0
    for k in range(len(WEIGHTS)):
        total += WEIGHTS[k] * (k + 1)
    return GAIN * total * (10.0 - view.behind) - trend + 0.3
