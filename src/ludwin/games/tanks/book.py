"""What is written down of a turn: events for the robots' side, energy, and the six parts of a score.

Why it is here.  Bullets, rams and walls all tell robots what happened to them and all take energy.  An event is a row
of its robot: kind, the other robot, and up to five numbers (docs/games/tanks.md).  Whoever loses energy keeps the
inactivity away; gains, walls and the inactivity itself do not.
"""

SCANNED, HIT_BY_BULLET, HIT_WALL, HIT_ROBOT, BULLET_HIT, BULLET_HIT_BULLET, BULLET_MISSED = range(1, 8)
ROBOT_DEATH, WIN, DEATH = range(8, 11)
ACTIVE, AT_WALL, AT_ROBOT, DEAD = range(4)  # states of a robot
FLYING, IN_ROBOT, IN_BULLET, IN_WALL, EXPLODING = range(1, 6)  # states of a bullet; 0: gone


def note(s, p, kind, who, room):
    """Add an event for robot p; returns the row in which its numbers belong."""
    at = s.events[p]
    if at < room - 1:  # the last row takes what nobody will read: more happens than ever could
        s.events[p] = at + 1
    row = p * room + at
    s.event[row] = kind
    s.event_who[row] = who
    s.event_a[row] = 0.0
    s.event_b[row] = 0.0
    s.event_c[row] = 0.0
    s.event_d[row] = 0.0
    s.event_e[row] = 0.0
    return row


def be_active(s, lost):
    """So much energy was lost in action: every ten units begin the time of inactivity anew."""
    if lost >= 0.0:
        s.spent += lost
        while s.spent >= 10.0:
            s.spent -= 10.0
            s.idle = 0


def set_energy(s, p, energy):
    s.energy[p] = energy
    if energy < 0.01:
        s.energy[p] = 0.0
        s.ahead[p] = 0.0
        s.turn[p] = 0.0


def change_energy(s, p, by):
    energy = s.energy[p] + by
    if energy != s.energy[p]:
        be_active(s, s.energy[p] - energy)  # not -by: a robot that has spent all is a last bit beside a multiple of 10
    set_energy(s, p, energy)


def kill(s, p, room):
    """A robot dies: it explodes among the bullets, and is remembered until all others have heard of it."""
    be_active(s, 10.0)
    if s.state[p] != DEAD:
        note(s, p, DEATH, p, room)
        s.died[p] = s.time
        s.fallen[s.deaths] = p
        s.deaths += 1
        k = s.bullets
        if k < len(s.bullet):
            s.bullets += 1
            s.listed += 1
            s.bullet[k] = EXPLODING
            s.owner[k] = p
            s.number[k] = 0
            s.frame[k] = 0
            s.moved[k] = 0
            s.bullet_x[k] = s.x[p]
            s.bullet_y[k] = s.y[p]
            s.from_x[k] = s.x[p]
            s.from_y[k] = s.y[p]
            s.course[k] = 0.0
            s.power[k] = 1.0
    change_energy(s, p, -s.energy[p])
    s.state[p] = DEAD


def score_bullet(s, p, q, damage, robots):
    s.dealt[p * robots + q] += damage
    s.bullet_damage[p] += damage


def score_bullet_kill(s, p, q, robots):
    s.bullet_bonus[p] += s.dealt[p * robots + q] * 0.2


def score_ram(s, p, q, robots):
    s.dealt[p * robots + q] += 0.6
    s.ram_damage[p] += 1.2


def score_ram_kill(s, p, q, robots):
    s.ram_bonus[p] += s.dealt[p * robots + q] * 0.3
