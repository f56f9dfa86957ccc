"""A picture of the locations that evolved players ask about: the board as the asking player counts it, 0 to 25."""

from collections.abc import Sequence

CELL, HEIGHT, LEFT, TOP = 26, 120, 12, 34


def board_of_uses(uses: Sequence[float]) -> str:
    """Return an SVG with a bar for each location: the bar, the points 1 to 24 along the player's way, and off.

    >>> board_of_uses([0.0] * 26).count("<rect")
    27
    """
    most = max([*uses, 1e-9])
    width = 2 * LEFT + CELL * len(uses)
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {TOP + HEIGHT + 40}" width="{width}" '
        f'height="{TOP + HEIGHT + 40}" font-family="sans-serif" font-size="11">',
        f'<rect width="{width}" height="{TOP + HEIGHT + 40}" fill="#ffffff"/>',
        f'<text x="{LEFT}" y="18" font-size="13" font-weight="bold" fill="#333333">'
        f"uses of each location in an evolved player</text>",
    ]
    for place, value in enumerate(uses):
        tall = HEIGHT * value / most
        x = LEFT + CELL * place
        name = {0: "bar", 25: "off"}.get(place, str(place))
        colour = "#1f6fb4" if 1 <= place <= 6 else "#3b8f4c" if 19 <= place <= 24 else "#8a8a8a"
        parts.append(
            f'<rect x="{x + 3}" y="{TOP + HEIGHT - tall:.1f}" width="{CELL - 6}" height="{tall:.1f}" fill="{colour}" '
            f'data-at="{place}"><title>{name}: {value:.2f}</title></rect>'
        )
        parts.append(f'<text x="{x + CELL / 2:.0f}" y="{TOP + HEIGHT + 14}" text-anchor="middle">{name}</text>')
    parts.append(
        f'<text x="{LEFT}" y="{TOP + HEIGHT + 32}" fill="#333333">most: {most:.2f} a player; blue: the enemy\'s home, '
        f"green: the player's own</text>"
    )
    return "\n".join([*parts, "</svg>"]) + "\n"
