"""Bullets: fired, flying, and what they hit.

Why it is here.  Bullets move one after the other in random order, before the robots do.  Each is tested against walls,
then robots, then bullets of others, by the way that it has made this turn.  One that has hit stays in the list for as
long as its explosion would be drawn, because the list is shuffled for every bullet and draws from the generator.
"""

import math

from ludwin.games.tanks.angles import PI, relative
from ludwin.games.tanks.book import (
    BULLET_HIT,
    BULLET_HIT_BULLET,
    BULLET_MISSED,
    DEAD,
    EXPLODING,
    FLYING,
    HIT_BY_BULLET,
    IN_BULLET,
    IN_ROBOT,
    IN_WALL,
    change_energy,
    kill,
    note,
    score_bullet,
    score_bullet_kill,
)
from ludwin.games.tanks.chance import pass_shuffle, shuffle

EXPLOSION = 17 + 0  # turns that a bullet stays after a hit
LAST_EXPLOSION = 71 + 0  # turns that the explosion of a robot stays


def fire(s, p):
    """Carry out an order to fire: from the place and with the gun of the last turn. A hot gun does not."""
    if s.fire[p] <= 0.0 or s.heat[p] > 0.0 or s.energy[p] == 0.0 or s.bullets >= len(s.bullet):
        return
    power = min(s.energy[p], min(max(s.fire[p], 0.1), 3.0))
    change_energy(s, p, -power)
    s.heat[p] += 1.0 + power / 5.0
    k = s.bullets
    s.bullets += 1
    s.shots[p] += 1
    s.bullet[k] = FLYING
    s.owner[k] = p
    s.number[k] = s.shots[p]
    s.frame[k] = 0
    s.moved[k] = 0
    s.power[k] = power
    assisted = s.with_gun[p] == 1 and s.aim[p] >= 0.0 and s.advanced[p] == 0.0
    s.course[k] = s.aim[p] if assisted else s.gun[p]
    s.bullet_x[k] = s.x[p]
    s.bullet_y[k] = s.y[p]
    s.from_x[k] = s.x[p]
    s.from_y[k] = s.y[p]


def outside(x, y, left, bottom, right, top):
    """On which sides of a box a point lies: 1 left, 2 below, 4 right, 8 above."""
    sides = 0
    if x < left:
        sides = 1
    elif x > right:
        sides = 4
    if y < bottom:
        sides += 2
    elif y > top:
        sides += 8
    return sides


def crosses(x, y, to_x, to_y, left, bottom):
    """Whether a line touches the box of a robot: its begin is cut off side by side (Cohen, Sutherland)."""
    right = left + 36.0
    top = bottom + 36.0
    end = outside(to_x, to_y, left, bottom, right, top)
    if end == 0:
        return True
    for _ in range(8):
        begin = outside(x, y, left, bottom, right, top)
        if begin == 0:
            return True
        if begin & end != 0:
            return False
        if begin & 5 != 0:
            edge = right if begin & 4 else left
            y = y + (edge - x) * (to_y - y) / (to_x - x)
            x = edge
        else:
            edge = top if begin & 8 else bottom
            x = x + (edge - y) * (to_x - x) / (to_y - y)
            y = edge
    return False


def meet_robot(s, k, q, robots, room):
    """Let a bullet hit robot q."""
    p = s.owner[k]
    power = s.power[k]
    damage = 4.0 * power
    if power > 1.0:
        damage += 2.0 * (power - 1.0)
    score = min(damage, s.energy[q])
    change_energy(s, q, -damage)
    score_bullet(s, p, q, score, robots)
    if s.energy[q] <= 0.0 and s.state[q] != DEAD:
        kill(s, q, room)
        score_bullet_kill(s, p, q, robots)
    if s.state[p] != DEAD or s.died[p] == s.time:
        change_energy(s, p, 3.0 * power)
    row = note(s, q, HIT_BY_BULLET, p, room)
    s.event_a[row] = relative(s.course[k] + PI - s.body[q])
    s.event_b[row] = power
    s.event_c[row] = s.course[k]
    row = note(s, p, BULLET_HIT, q, room)
    s.event_a[row] = s.energy[q]
    s.event_b[row] = power
    s.event_c[row] = s.bullet_x[k]
    s.event_d[row] = s.bullet_y[k]
    x = s.from_x[k]
    y = s.from_y[k]
    if s.box_x[q] <= x < s.box_x[q] + 36.0 and s.box_y[q] <= y < s.box_y[q] + 36.0:
        s.bullet_x[k] = x
        s.bullet_y[k] = y
    s.bullet[k] = IN_ROBOT
    s.frame[k] = 0


def finds_robot(s, k, q):
    return (
        q != s.owner[k]
        and s.state[q] != DEAD
        and crosses(s.from_x[k], s.from_y[k], s.bullet_x[k], s.bullet_y[k], s.box_x[q], s.box_y[q])
    )


def meet_robots(s, k, before, robots, room):
    """Test a bullet against all robots; of several that it touches the first in random order is hit.

    `before` is the generator that this order is drawn from.
    """
    found = 0
    hit = -1
    for q in range(robots):
        if finds_robot(s, k, q):
            found += 1
            hit = q
    if found > 1:
        after = s.generator
        s.generator = before
        for q in range(robots):
            s.others[q] = q
        shuffle(s, s.others, robots)
        s.generator = after
        hit = -1
        for i in range(robots):
            if hit < 0 and finds_robot(s, k, s.others[i]):
                hit = s.others[i]
    if hit >= 0:
        meet_robot(s, k, hit, robots, room)


def cross(s, j, k):
    """Whether the ways of two bullets cross."""
    if s.moved[j] == 0 or s.moved[k] == 0:
        return False
    x = s.bullet_x[j] - s.from_x[j]
    y = s.bullet_y[j] - s.from_y[j]
    to_x = s.bullet_x[k] - s.from_x[k]
    to_y = s.bullet_y[k] - s.from_y[k]
    between_x = s.from_x[j] - s.from_x[k]
    between_y = s.from_y[j] - s.from_y[k]
    area = to_y * x - to_x * y
    if area == 0.0:
        return False
    one = (to_x * between_y - to_y * between_x) / area
    two = (x * between_y - y * between_x) / area
    return 0.0 <= one <= 1.0 and 0.0 <= two <= 1.0


def finds_bullet(s, k, j):
    return j != k and s.bullet[j] == FLYING and s.owner[j] != s.owner[k] and cross(s, j, k)


def meet_bullets(s, k, before, room):
    """Test a bullet against all others; both go back to where their last step began."""
    found = 0
    hit = -1
    for j in range(s.bullets):
        if finds_bullet(s, k, j):
            found += 1
            hit = j
    if found > 1:
        after = s.generator
        s.generator = before
        n = 0
        for j in range(s.bullets):
            if s.bullet[j] != 0:
                s.queue[n] = j
                n += 1
        shuffle(s, s.queue, n)
        s.generator = after
        hit = -1
        for i in range(n):
            if hit < 0 and finds_bullet(s, k, s.queue[i]):
                hit = s.queue[i]
    if hit >= 0:
        end_in_bullet(s, k)
        end_in_bullet(s, hit)
        tell_bullet(s, k, hit, room)
        tell_bullet(s, hit, k, room)


def end_in_bullet(s, k):
    s.bullet[k] = IN_BULLET
    s.frame[k] = 0
    s.bullet_x[k] = s.from_x[k]
    s.bullet_y[k] = s.from_y[k]


def tell_bullet(s, k, j, room):
    row = note(s, s.owner[k], BULLET_HIT_BULLET, s.owner[j], room)
    s.event_a[row] = s.power[k]
    s.event_b[row] = s.power[j]
    s.event_c[row] = s.bullet_x[k]
    s.event_d[row] = s.bullet_y[k]


def fly(s, k, width, height, room):
    """Move a bullet; at a wall it is gone before anybody could be hit."""
    s.from_x[k] = s.bullet_x[k]
    s.from_y[k] = s.bullet_y[k]
    s.moved[k] = 1
    speed = 20.0 - 3.0 * max(s.power[k], 0.1)  # a robot that has less energy fires with all it has, at this speed
    s.bullet_x[k] += speed * math.sin(s.course[k])
    s.bullet_y[k] += speed * math.cos(s.course[k])
    x = s.bullet_x[k]
    y = s.bullet_y[k]
    if x - 3.0 <= 0.0 or y - 3.0 <= 0.0 or x + 3.0 >= width or y + 3.0 >= height:
        s.bullet[k] = IN_WALL
        s.frame[k] = 0
        row = note(s, s.owner[k], BULLET_MISSED, s.owner[k], room)
        s.event_a[row] = s.power[k]
        s.event_b[row] = x
        s.event_c[row] = y


def move_bullets(s, robots, width, height, room):
    n = s.bullets
    s.listed = n
    for k in range(n):
        s.turns[k] = k
    shuffle(s, s.turns, n)
    for i in range(n):
        k = s.turns[i]
        s.frame[k] += 1
        # Two shuffles are drawn for every bullet, also for one that is through.
        for_robots = s.generator
        pass_shuffle(s, robots)
        for_bullets = s.generator
        pass_shuffle(s, s.listed)
        if s.bullet[k] == FLYING:
            fly(s, k, width, height, room)
            if s.bullet[k] == FLYING:
                meet_robots(s, k, for_robots, robots, room)
            if s.bullet[k] == FLYING:
                meet_bullets(s, k, for_bullets, room)
        settle_bullet(s, k)


def settle_bullet(s, k):
    """A bullet whose explosion is over leaves the list."""
    last = LAST_EXPLOSION if s.bullet[k] == EXPLODING else EXPLOSION
    if s.bullet[k] != FLYING and s.frame[k] >= last:
        s.bullet[k] = 0
        s.listed -= 1


def sweep(s):
    """Close the gaps that bullets have left, in their order."""
    n = 0
    for k in range(s.bullets):
        if s.bullet[k] != 0:
            if n < k:
                move_cell(s, n, k)
            n += 1
    for k in range(n, s.bullets):
        s.bullet[k] = 0
    s.bullets = n


def move_cell(s, n, k):
    s.bullet[n] = s.bullet[k]
    s.owner[n] = s.owner[k]
    s.number[n] = s.number[k]
    s.frame[n] = s.frame[k]
    s.moved[n] = s.moved[k]
    s.power[n] = s.power[k]
    s.course[n] = s.course[k]
    s.bullet_x[n] = s.bullet_x[k]
    s.bullet_y[n] = s.bullet_y[k]
    s.from_x[n] = s.from_x[k]
    s.from_y[n] = s.from_y[k]
