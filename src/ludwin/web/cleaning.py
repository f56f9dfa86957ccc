"""Drawings of games, cleaned: only shapes, words and colours stay.

Why it is here.  A game's `picture` is a text of its author's, which a page must not believe.  It is parsed as XML,
elements and attributes that are not on the list fall away, and references may only point into the drawing itself.
The page does the same once more before it shows anything, and its policy allows no script in any case.
"""

import re
from xml.etree import ElementTree
from xml.etree.ElementTree import Element

from ludwin.errors import LudwinError

MOST_BYTES, MOST_ELEMENTS, DEEPEST = 2 * 2**20, 20_000, 64
SVG = "http://www.w3.org/2000/svg"
ELEMENTS = frozenset(
    [
        "svg",
        "g",
        "path",
        "rect",
        "circle",
        "ellipse",
        "line",
        "polyline",
        "polygon",
        "text",
        "tspan",
        "title",
        "desc",
        "defs",
        "linearGradient",
        "radialGradient",
        "stop",
        "clipPath",
        "use",
    ]
)
ATTRIBUTES = frozenset(
    [
        "x",
        "y",
        "x1",
        "y1",
        "x2",
        "y2",
        "cx",
        "cy",
        "r",
        "rx",
        "ry",
        "d",
        "points",
        "width",
        "height",
        "viewBox",
        "transform",
        "fill",
        "stroke",
        "stroke-width",
        "stroke-dasharray",
        "stroke-linecap",
        "stroke-linejoin",
        "stroke-opacity",
        "fill-opacity",
        "fill-rule",
        "opacity",
        "font-size",
        "font-family",
        "font-weight",
        "text-anchor",
        "dominant-baseline",
        "dx",
        "dy",
        "class",
        "id",
        "role",
        "aria-label",
        "data-at",
        "data-move",
        "data-flip",
        "offset",
        "stop-color",
        "stop-opacity",
        "gradientUnits",
        "gradientTransform",
        "clip-path",
        "clip-rule",
        "preserveAspectRatio",
        "href",
        "fx",
        "fy",
    ]
)
REFERENCE = re.compile(r"url\(\s*(?!['\"]?#)", re.IGNORECASE)
SPACE = "{http://www.w3.org/XML/1998/namespace}space"
LINK = "{http://www.w3.org/1999/xlink}href"
ElementTree.register_namespace("", SVG)


class BadPicture(LudwinError, ValueError):
    """A drawing that cannot be shown: why."""


def clean(svg: str) -> str:
    """Return a drawing with nothing in it but shapes. Raises BadPicture if it is no drawing, or too large.

    >>> clean('<svg xmlns="http://www.w3.org/2000/svg"><script>x</script><rect onload="x" width="3"/></svg>')
    '<svg xmlns="http://www.w3.org/2000/svg"><rect width="3" /></svg>'
    """
    if len(svg) > MOST_BYTES or len(svg.encode("utf8", "replace")) > MOST_BYTES:
        raise BadPicture(f"the picture has more than {MOST_BYTES // 2**20} MB")
    if "<!" in svg.replace("<!--", ""):
        raise BadPicture("the picture declares a document type or entities, which are not read")
    try:
        root = ElementTree.fromstring(svg)
    except (ElementTree.ParseError, ValueError) as error:
        raise BadPicture(f"the picture is no XML: {error}") from None
    if _name(root) != "svg":
        raise BadPicture(f"the picture must be an <svg>, got <{_name(root)[:30]}>")
    if sum(1 for _ in root.iter()) > MOST_ELEMENTS:
        raise BadPicture(f"the picture has more than {MOST_ELEMENTS:,} elements")
    _clean(root, 0)
    return ElementTree.tostring(root, encoding="unicode")


def _name(element: Element) -> str:
    tag = element.tag
    if not isinstance(tag, str):
        return ""  # a comment, an instruction
    space, _, name = tag.rpartition("}")
    return name if space in ("", "{" + SVG) else ""


def _clean(element: Element, depth: int) -> None:
    if depth > DEEPEST:
        raise BadPicture(f"the picture is nested more than {DEEPEST} deep")
    element.tag = f"{{{SVG}}}{_name(element)}"
    for name in list(element.attrib):
        value = element.attrib[name]
        if name == LINK:
            del element.attrib[name]
            name = "href"
            element.attrib[name] = value
        fits = name in ATTRIBUTES or name == SPACE
        if not fits or REFERENCE.search(value) or (name == "href" and not value.startswith("#")):
            del element.attrib[name]
    for child in list(element):
        if _name(child) not in ELEMENTS:
            _drop(element, child)
        else:
            _clean(child, depth + 1)


def _drop(parent: Element, child: Element) -> None:
    """Take an element out; the words behind it stay."""
    tail = child.tail or ""
    number = list(parent).index(child)
    if number:
        parent[number - 1].tail = (parent[number - 1].tail or "") + tail
    else:
        parent.text = (parent.text or "") + tail
    parent.remove(child)
