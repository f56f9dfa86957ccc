"""The recovery helper: what a driver does who has left the road, goes backwards or has almost stopped.

Why it is here.  Most drivers of the original begin with it, and so do the book's evolved ones.  The rule is that of the
4,940 recorded cases.  A driver's own file may import it: `from ludwin.games.racing.recover import stuck`.
"""


def stuck(backward, v, across, left, right):
    """Whether the helper takes over (0 or 1), and the wheel and speed that it sets."""
    wheel = 0.0
    if left < 0.0 or right < 0.0:
        side = 1.0 if left < 0.0 else -1.0  # seen from the left shoulder; the right one is its mirror image
        drift = side * across
        if drift > v / 2.0 or (backward > 0 and drift > -v / 2.0):
            wheel = 0.0
        elif drift < -v / 2.0:
            wheel = 0.03 * side
        else:
            wheel = -0.03 * side
    elif backward > 0:
        if across > 0.866 * v:
            wheel = -0.03
        elif across < -0.866 * v:
            wheel = 0.03
    elif v < 15.0:
        side = 1.0 if left < right else -1.0
        wheel = -0.03 * side if side * across < -0.7 * v else 0.03 * side
    else:
        return 0, 0.0, 0.0
    if wheel == 0.0:
        return 1, 0.0, 0.0 if v > 10.0 else -15.0
    return 1, wheel, 0.66667 * v + 10.0
