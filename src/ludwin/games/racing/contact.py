"""Contacts: two cars that overlap are pushed apart, exchange speed along the line of their centres, and are dented.

Why it is here.  Cars are rectangles of 20 by 10 feet.  How far they overlap is measured along the line of centres,
from every corner of one car to the edges of the other.  An edge is met only if the corner lies strictly between its
ends sideways, so cars that are exactly in line drive through each other: so do the recordings.

The same look at the others tells a driver whether somebody is *dead ahead*: within 20 degrees of where the car's body
points, and within a braking distance that the original computes from both speeds less 20 ft/s.  Of the other car it
takes the speed across the road, not that along it; so it did, and so the recordings have it.
"""

import math

from ludwin.games.racing.circuit import SEGMENTS

NEAR = 500.0 + 0.0  # square feet: beyond this distance of centres no corner can touch
BRAKING = 1.05 * 32.2 * 2.0  # ft/s^2: twice what the tyres can pull
STRAIGHT = 0.94 + 0.0  # cosine of 20 degrees
FRONT = (10.0, -10.0, -10.0, 10.0)  # the corners, from the centre: forwards and to the left
SIDE = (5.0, 5.0, -5.0, -5.0)


def depth(at, cosine, sine, other_at, other_cosine, other_sine):
    """How far the deepest corner of one car lies beyond an edge of the other, along the line of centres.

    `at` is where the car's centre is on that line; cosine and sine tell how its body is turned against it.
    """
    deepest = 0.0
    for k in range(4):
        along = at + FRONT[k] * cosine - SIDE[k] * sine
        aside = FRONT[k] * sine + SIDE[k] * cosine
        for n in range(4):
            m = (n + 1) % 4
            a = other_at + FRONT[n] * other_cosine - SIDE[n] * other_sine
            b = other_at + FRONT[m] * other_cosine - SIDE[m] * other_sine
            left = FRONT[n] * other_sine + SIDE[n] * other_cosine
            right = FRONT[m] * other_sine + SIDE[m] * other_cosine
            if (left < aside and aside < right) or (right < aside and aside < left):
                edge = a + (b - a) * (aside - left) / (right - left)
                deepest = max(deepest, along - edge if at < other_at else edge - along)
    return deepest


def overlap(s, i, j, ux, uy, gap):
    """How far cars i and j overlap along the line of their centres, which leads from i to j."""
    turn = s.heading[i] + s.alpha[i]
    cosine = math.cos(turn)
    sine = math.sin(turn)
    ci = cosine * ux + sine * uy
    si = sine * ux - cosine * uy
    turn = s.heading[j] + s.alpha[j]
    cosine = math.cos(turn)
    sine = math.sin(turn)
    cj = cosine * ux + sine * uy
    sj = sine * ux - cosine * uy
    return max(depth(0.0, ci, si, gap, cj, sj), depth(gap, cj, sj, 0.0, ci, si))


def bounce(s, i, j, ux, uy, deep):
    """Exchange speeds along the line of centres and push both cars apart; i is the faster one."""
    one = s.vx[i] * ux + s.vy[i] * uy
    two = s.vx[j] * ux + s.vy[j] * uy
    cross_one = (s.vy[i] * ux - s.vx[i] * uy) * 0.99
    cross_two = s.vy[j] * ux - s.vx[j] * uy
    closing = one - two
    spring = math.exp(-abs(closing) / 200.0)
    mean = (one + two) / 2.0
    half = spring * closing / 2.0
    s.vx[i] = (mean - half) * ux - cross_one * uy
    s.vy[i] = (mean - half) * uy + cross_one * ux
    s.vx[j] = (mean + half) * ux - cross_two * uy
    s.vy[j] = (mean + half) * uy + cross_two * ux
    s.x[i] -= deep / 2.0 * ux
    s.y[i] -= deep / 2.0 * uy
    s.x[j] += deep / 2.0 * ux
    s.y[j] += deep / 2.0 * uy
    lost = closing * (1.0 - spring)
    harm = lost * lost * 100.0 - 10.0
    if harm > 0.0:
        s.damage[i] += int(harm / 2.0)
        s.damage[j] += int(harm / 4.0)


def collide(s, cars):
    """Look at all pairs in the order of the cars; the faster of two does the looking."""
    for i in range(cars):
        s.dead_ahead[i] = 0
        v = math.sqrt(s.vx[i] * s.vx[i] + s.vy[i] * s.vy[i])
        cosine = math.cos(s.alpha[i])
        sine = math.sin(s.alpha[i])
        nose_x = s.vx[i] * cosine - s.vy[i] * sine
        nose_y = s.vx[i] * sine + s.vy[i] * cosine
        for j in range(cars):
            if i != j and s.out[i] == 0 and s.out[j] == 0:
                ahead = (s.segment[j] - s.segment[i] + SEGMENTS) % SEGMENTS
                dx = s.x[j] - s.x[i]
                dy = s.y[j] - s.y[i]
                gap = dx * dx + dy * dy
                if ahead <= 1:
                    away = math.sqrt(gap)
                    brakes = (v - s.across[j] - 20.0) * (v + s.across[j] - 20.0) / BRAKING
                    if away <= brakes and nose_x * dx + nose_y * dy > STRAIGHT * (away * v):
                        s.dead_ahead[i] = 1
                if ahead <= 1 and gap > 0.0 and gap <= NEAR:
                    fast = s.vx[i] * s.vx[i] + s.vy[i] * s.vy[i] >= s.vx[j] * s.vx[j] + s.vy[j] * s.vy[j]
                    if fast:
                        gap = math.sqrt(gap)
                        deep = overlap(s, i, j, dx / gap, dy / gap, gap)
                        if deep > 0.0:
                            bounce(s, i, j, dx / gap, dy / gap, deep)
