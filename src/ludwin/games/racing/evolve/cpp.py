"""A champion as C++, in the form of the original's drivers.

Why it is here.  Whoever has the original simulator should be able to race our champion there.  The text is our own:
one function of the situation, as the original asks for it, with the names of its fields (`recordings.py` has them,
too), everything else inside.  A driver that reads the line that can be seen gets it as a table, for one track.

What differs from driving here: the ray of AH and AA ends with the third segment behind this one, since a driver of
the original is told no more; and a tank is filled as the driver says, here with 150 pounds.
"""

from collections.abc import Sequence

from ludwin.games.racing.evolve.export import CPP, written
from ludwin.games.racing.language import sight
from ludwin.games.racing.line import seen_line
from ludwin.games.racing.survey import track_named
from ludwin.program.tree import Tree

HEAD = """// {name}: a driver that was evolved with Ludwin; two programs, wheel and speed.
// {about}
#include <algorithm>
#include <cmath>
#include "car.h"

namespace {{

inline double divide(double a, double b) {{ return b != 0.0 ? a / b : 0.0; }}
inline double tangent(double a) {{ return std::sin(a) / std::cos(a); }}
inline double slip(double a) {{ return (a < 0.0 ? 0.02 : -0.02) * std::log(1.0 - std::min(std::fabs(a), 0.995)); }}

// The rest of the road as the driver is told it: radius of the inner wall (left positive), and feet or radians.
struct Piece {{ double radius, length; }};

// How far the car could go straight on, and the shoulder's direction there less the car's.
void ray(const Piece* road, double width, double right, double along, double across, double v,
         double* way, double* angle) {{
    *way = 0.0;
    *angle = 0.0;
    if (right < 0.0 || right > width || v < 0.0001) return;
    double sine = across / v, cosine = along / v, heading = std::atan2(sine, cosine);
    for (int k = 0; k < 4; k++) {{
        double radius = road[k].radius, rest = road[k].length, step, turned = 0.0;
        bool wall = true;
        if (radius == 0.0) {{
            step = 20000.0;
            if (sine > 0.0) step = (width - right) / sine;
            else if (sine < 0.0) step = -right / sine;
            if (cosine > 0.0 && rest < step * cosine) {{
                step = rest / cosine;
                wall = false;
            }}
            right += step * sine;
        }} else {{
            // A right turn is a left turn in a mirror.
            double side = radius > 0.0 ? 1.0 : -1.0, inner = std::fabs(radius), outer = inner + width;
            double from = radius > 0.0 ? outer - right : inner + right, up = side * sine;
            double towards = -from * up;
            step = -towards + std::sqrt(std::max(towards * towards - from * from + outer * outer, 0.0));
            double miss = towards * towards - from * from + inner * inner;
            if (towards < 0.0 && miss > 0.0) step = std::max(-towards - std::sqrt(miss), 0.0);
            turned = std::atan2(step * cosine, from - step * up);
            double ends = cosine * std::cos(rest) + up * std::sin(rest);
            if (turned > rest && ends > 0.0) {{
                step = from * std::sin(rest) / ends;
                turned = rest;
                wall = false;
            }}
            double x = from - step * up, y = step * cosine, reach = std::sqrt(x * x + y * y);
            right = radius > 0.0 ? outer - reach : reach - inner;
            turned *= side;
        }}
        *way += step;
        heading -= turned;
        if (wall || *way >= 20000.0) break;
        sine = std::sin(heading);
        cosine = std::cos(heading);
        right = std::min(std::max(right, 0.0), width);
    }}
    *angle = -std::remainder(heading, 2.0 * 3.14159265358979323846);
}}

// Whoever has left the road, goes backwards or has almost stopped gets back by this.
bool rescue(bool backward, double v, double across, double left, double right, double* wheel, double* speed) {{
    double turn = 0.0;
    if (left < 0.0 || right < 0.0) {{
        double side = left < 0.0 ? 1.0 : -1.0, drift = side * across;
        if (drift > v / 2.0 || (backward && drift > -v / 2.0)) turn = 0.0;
        else turn = drift < -v / 2.0 ? 0.03 * side : -0.03 * side;
    }} else if (backward) {{
        if (across > 0.866 * v) turn = -0.03;
        else if (across < -0.866 * v) turn = 0.03;
    }} else if (v < 15.0) {{
        double side = left < right ? 1.0 : -1.0;
        turn = side * across < -0.7 * v ? -0.03 * side : 0.03 * side;
    }} else return false;
    *wheel = turn;
    *speed = turn != 0.0 ? 0.66667 * v + 10.0 : v > 10.0 ? 0.0 : -15.0;
    return true;
}}
{tables}
}}  // namespace

con_vec {name}(situation& s)
{{
    static bool is_new = true;
    con_vec result;
    result.request_pit = 0;
    result.repair_amount = 0;
    result.fuel_amount = 150.0;
    if (is_new) {{
        my_name_is("{name}");
        is_new = false;
        result.alpha = 0.0;
        result.vc = 0.0;
        return result;
    }}
    double turn = 0.0, pace = 0.0;
    if (rescue(s.backward != 0, s.v, s.vn, s.to_lft, s.to_rgt, &turn, &pace)) {{
        result.alpha = turn;
        result.vc = pace;
        return result;
    }}
    const double width = s.to_lft + s.to_rgt;
    const Piece road[4] = {{
        {{s.cur_rad, s.to_end}},
        {{s.nex_rad, s.nex_len}},
        {{s.after_rad, s.after_len}},
        {{s.aftaft_rad, s.aftaft_len}}}};
    double feet[2];
    for (int k = 0; k < 2; k++)
        feet[k] = road[k].radius == 0.0 ? road[k].length : road[k].length * (std::fabs(road[k].radius) + width / 2.0);
    const double along = std::sqrt(std::max(s.v * s.v - s.vn * s.vn, 0.0));
    double way, angle;
    ray(road, width, s.to_rgt, along, s.vn, s.v, &way, &angle);
    const double CR = s.cur_rad / 400.0, NR = s.nex_rad / 400.0, TE = feet[0] / 400.0, NL = feet[1] / 400.0;
    const double V = s.v / 100.0, NV = s.vn / 100.0, TL = s.to_lft / 400.0, TR = s.to_rgt / 400.0, TW = width / 400.0;
    const double AH = way / 400.0, AA = angle;
{line}    result.alpha = {wheel};
    result.vc = 100.0 * ({speed});
    (void)CR, (void)NR, (void)TE, (void)NL, (void)V, (void)NV, (void)TL, (void)TR, (void)TW, (void)AH, (void)AA;
    return result;
}}
"""
TABLES = """
// The line that a driver can tell who sees this segment and the next three, for the track {track}: numbers for points
// that lie so many feet apart along the centre line, from the finish line on.
const int points = {count};
const double apart = {step!r};
{arrays}
double at(const double* table, double distance) {{
    double place = distance / apart;
    int i = int(place) % points;
    double part = place - std::floor(place);
    return table[i] + part * (table[(i + 1) % points] - table[i]);
}}
"""
LINE = """    const double LO = (at(line_place, s.distance) - s.to_rgt) / 400.0;
    const double LA = at(line_slope, s.distance) - s.vn / std::max(s.v, 5.0);
    const double LG = s.v * s.v * at(line_bend, s.distance) / (1.05 * 32.2);
    const double LV = at(line_speed, s.distance) / 100.0;
    const double AV = at(line_speed, s.distance + 0.3 * s.v) / 100.0;
    (void)LO, (void)LA, (void)LG, (void)LV, (void)AV;
"""


def driver_cpp(programs: Sequence[Tree], name: str, track: str) -> str:
    """Return the text of a driver for the original; one that reads the line has the line of this track in it."""
    wheel, speed = (written(tree, CPP) for tree in programs)
    if all(tree.language is not sight() for tree in programs):
        about = 'It reads Table 9.1 of "Evolved to Win", and drives on any track.'
        return HEAD.format(name=name, about=about, wheel=wheel, speed=speed, tables="", line="")
    found = track_named(track)
    line = seen_line(found)
    arrays = "".join(
        f"const double line_{field}[points] = {{\n{_columns(getattr(line, field))}}};\n"
        for field in ("place", "slope", "bend", "speed")
    )
    tables = TABLES.format(track=found.name, count=len(line.place), step=line.step, arrays=arrays)
    about = f"It reads the line of the track {found.name} and drives on no other; export it again for that."
    return HEAD.format(name=name, about=about, wheel=wheel, speed=speed, tables=tables, line=LINE)


def _columns(numbers: Sequence[float]) -> str:
    """Return numbers as lines of C++; nine digits are a millionth of a foot."""
    words = [f"{number:.9g}" for number in numbers]
    return "".join(f"    {', '.join(words[at : at + 10])},\n" for at in range(0, len(words), 10))
