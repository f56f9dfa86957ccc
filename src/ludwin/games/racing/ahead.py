"""The ray: how far a car could go straight on before it left the road, and at which angle it would meet the shoulder.

Why it is here.  These are the two indicators of the book's Table 9.1 that evolved programs cannot compute themselves
(`AH` and `AA`).  The ray is followed from segment to segment in the road's own coordinates, so that a track whose
ends do not quite meet has no step in it.
"""

import math

from ludwin.games.racing.circuit import LEFT, LENGTHS, RIGHT, SEGMENTS, WIDTH

FARTHEST = 20000.0 + 0.0  # feet: a road that goes straight on for longer is endless


def on_a_straight(rest, right, cosine, sine):
    """The way to the wall or to the end of a straight, and whether it is the wall.

    `rest` is what is left of the straight, `right` the distance to the right wall; the direction is against the road's.
    """
    wall = FARTHEST
    if sine > 0.0:
        wall = (WIDTH - right) / sine
    elif sine < 0.0:
        wall = -right / sine
    if cosine > 0.0 and rest < wall * cosine:
        return rest / cosine, 0
    return wall, 1


def on_an_arc(rest, radius, inner, cosine, sine):
    """The way to a wall or to the end of a left turn, whether it is the wall, and the angle turned until then.

    The car is `radius` feet from the centre; `inner` is the radius of the inner wall.
    """
    outer = inner + WIDTH
    towards = -radius * sine  # the centre lies to the left
    way = -towards + math.sqrt(max(towards * towards - radius * radius + outer * outer, 0.0))
    miss = towards * towards - radius * radius + inner * inner
    if towards < 0.0 and miss > 0.0:
        way = max(-towards - math.sqrt(miss), 0.0)
    turned = math.atan2(way * cosine, radius - way * sine)
    if turned <= rest or turned < 0.0:
        return way, 1, turned
    ends = cosine * math.cos(rest) + sine * math.sin(rest)
    if ends <= 0.0:
        return way, 1, turned
    return radius * math.sin(rest) / ends, 0, rest


def ray(s, p):
    """How far car p could go on, in feet, and the shoulder's direction there less the car's; 0, 0 off the road."""
    if s.to_left[p] < 0.0 or s.to_right[p] < 0.0 or s.v[p] < 0.0001:
        return 0.0, 0.0
    k = s.segment[p]
    rest = s.to_end[p]
    right = s.to_right[p]
    sine = s.across[p] / s.v[p]
    cosine = s.forward[p] / s.v[p]
    way = 0.0
    heading = math.atan2(sine, cosine)
    for _ in range(SEGMENTS):
        step = 0.0
        hit = 0
        turned = 0.0
        if RIGHT[k] == 0.0:
            step, hit = on_a_straight(rest, right, cosine, sine)
            right += step * sine
        elif RIGHT[k] > 0.0:
            radius = RIGHT[k] - right
            step, hit, turned = on_an_arc(rest, radius, LEFT[k], cosine, sine)
            x = radius - step * sine
            y = step * cosine
            right = RIGHT[k] - math.sqrt(x * x + y * y)
        else:
            radius = right - RIGHT[k]
            step, hit, turned = on_an_arc(rest, radius, -RIGHT[k], cosine, -sine)
            x = radius + step * sine
            y = step * cosine
            right = math.sqrt(x * x + y * y) + RIGHT[k]
            turned = -turned
        way += step
        heading -= turned
        if hit == 1 or way >= FARTHEST:
            break
        if turned != 0.0:
            sine = math.sin(heading)
            cosine = math.cos(heading)
        right = min(max(right, 0.0), WIDTH)
        k = (k + 1) % SEGMENTS
        rest = LENGTHS[k]
    if heading > math.pi:
        heading -= 2.0 * math.pi
    elif heading <= -math.pi:
        heading += 2.0 * math.pi
    return way, -heading
