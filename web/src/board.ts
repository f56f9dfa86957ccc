// A board for any game: places of a drawing are clicked, dragged or reached by keys until one move is left.

import type { Move, View } from "./api";
import { drawing } from "./page";

const NS = "http://www.w3.org/2000/svg";
interface Spot { name: string; elements: SVGGraphicsElement[]; x: number; y: number; wide: number; high: number }

export class Board {
  private drawn: SVGSVGElement | null = null;
  private spots = new Map<string, Spot>();
  private picked: string[] = [];
  private moves: Move[] = [];
  private overlay: SVGGElement | null = null;
  private pressed: string | null = null;
  private arrows: Move[] = [];
  private last: string[] = [];
  flipped = false;
  private still = false;

  constructor(
    private host: HTMLElement,
    private choose: (move: Move) => void,
    private menu: (moves: Move[], at: { x: number; y: number }) => void,
  ) {
    host.addEventListener("pointerdown", (event) => { this.pressed = this.under(event); });
    host.addEventListener("pointerup", (event) => this.released(event));
    host.addEventListener("keydown", (event) => this.key(event));
  }

  // A board that nobody may move on shows no places; whether that is so is known after it was drawn.
  set frozen(on: boolean) {
    if (on === this.still) return;
    this.still = on;
    this.picked = [];
    this.mark();
  }

  update(view: View): void {
    const focus = document.activeElement instanceof Element && this.host.contains(document.activeElement) ? document.activeElement.getAttribute("data-at") : null;
    this.drawn = drawing(view.board.svg);
    this.host.replaceChildren(...(this.drawn ? [this.drawn] : []));
    this.picked = [];
    this.moves = view.over ? [] : view.moves;
    this.last = view.last?.path ?? [];
    this.arrows = [];
    this.host.classList.toggle("flipped", this.flipped && view.board.flips);
    this.locate();
    this.mark();
    if (focus) this.focusable(focus)?.focus();
  }

  line(moves: Move[]): void {
    this.arrows = moves.filter((move) => move.path).slice(0, 3);
    this.mark();
  }

  turn(on: boolean): void {
    this.flipped = on;
  }

  private locate(): void {
    this.spots.clear();
    const root = this.drawn;
    if (!root) return;
    root.removeAttribute("width");
    root.removeAttribute("height");
    root.setAttribute("role", "group");
    root.setAttribute("aria-label", "board");
    for (const one of root.querySelectorAll<SVGGraphicsElement>("[data-at]")) {
      const name = one.getAttribute("data-at")!;
      const spot = this.spots.get(name) ?? { name, elements: [], x: 0, y: 0, wide: 0, high: 0 };
      spot.elements.push(one);
      this.spots.set(name, spot);
    }
    const back = root.getScreenCTM()?.inverse();
    for (const spot of this.spots.values()) {
      for (const one of spot.elements) {
        const box = one.getBBox();
        const matrix = back ? back.multiply(one.getScreenCTM() ?? new DOMMatrix()) : new DOMMatrix();
        const corners = [[box.x, box.y], [box.x + box.width, box.y], [box.x, box.y + box.height], [box.x + box.width, box.y + box.height]]
          .map(([x, y]) => new DOMPoint(x, y).matrixTransform(matrix));
        const [left, right] = [Math.min(...corners.map((c) => c.x)), Math.max(...corners.map((c) => c.x))];
        const [top, bottom] = [Math.min(...corners.map((c) => c.y)), Math.max(...corners.map((c) => c.y))];
        if ((right - left) * (bottom - top) >= spot.wide * spot.high) Object.assign(spot, { x: left, y: top, wide: right - left, high: bottom - top });
      }
    }
    this.overlay = document.createElementNS(NS, "g");
    this.overlay.setAttribute("class", "marks");
    root.append(this.overlay);
    for (const one of root.querySelectorAll<SVGGraphicsElement>("[data-move]")) {
      const move = this.moves.find((m) => m.move === one.getAttribute("data-move"));
      if (move) this.asButton(one, move.move);
    }
  }

  private asButton(one: SVGGraphicsElement, label: string): void {
    one.setAttribute("role", "button");
    one.setAttribute("tabindex", "0");
    one.setAttribute("aria-label", label);
  }

  private going(): Move[] {
    return this.moves.filter((move) => move.path && this.picked.every((name, k) => move.path![k] === name));
  }

  private mark(): void {
    const layer = this.overlay;
    if (!layer) return;
    layer.replaceChildren();
    const next = new Set(this.still ? [] : this.going().map((move) => move.path![this.picked.length]).filter((name) => name !== undefined));
    for (const [name, spot] of this.spots) {
      const first = spot.elements[0]!;
      const on = next.has(name) || this.picked.includes(name);
      for (const one of spot.elements) one.classList.toggle("place", on);
      if (on) this.asButton(first, this.picked.includes(name) ? `${name}, chosen` : name);
      else for (const word of ["role", "tabindex", "aria-label"]) first.removeAttribute(word);
      if (this.last.includes(name)) this.frame(spot, "last");
      if (this.picked.includes(name)) this.frame(spot, "picked");
      else if (next.has(name)) this.dot(spot);
    }
    this.arrows.forEach((move, k) => this.arrow(move.path!, k));
  }

  private add(kind: string, facts: Record<string, string | number>, name: string): void {
    const one = document.createElementNS(NS, kind);
    for (const [key, value] of Object.entries(facts)) one.setAttribute(key, String(value));
    one.setAttribute("class", name);
    this.overlay!.append(one);
  }

  private frame(spot: Spot, name: string): void {
    this.add("rect", { x: spot.x + 1.5, y: spot.y + 1.5, width: Math.max(spot.wide - 3, 1), height: Math.max(spot.high - 3, 1), rx: 3 }, `mark-${name}`);
  }

  private dot(spot: Spot): void {
    this.add("circle", { cx: spot.x + spot.wide / 2, cy: spot.y + spot.high / 2, r: Math.max(Math.min(spot.wide, spot.high) / 9, 2) }, "mark-next");
  }

  private arrow(path: string[], k: number): void {
    const spots = path.map((name) => this.spots.get(name)).filter((spot) => spot !== undefined);
    if (!spots.length) return;
    const at = (spot: Spot): [number, number] => [spot.x + spot.wide / 2, spot.y + spot.high / 2];
    const [toX, toY] = at(spots[spots.length - 1]!);
    const size = Math.min(spots[0]!.wide, spots[0]!.high);
    if (spots.length === 1) {
      this.add("circle", { cx: toX, cy: toY, r: size * 0.36 }, `arrow arrow-${k}`);
      return;
    }
    for (let i = 0; i + 1 < spots.length; i++) {
      const [x, y] = at(spots[i]!), [u, v] = at(spots[i + 1]!);
      const length = Math.hypot(u - x, v - y) || 1, back = i + 2 === spots.length ? size * 0.3 : 0;
      this.add("line", { x1: x, y1: y, x2: u - ((u - x) / length) * back, y2: v - ((v - y) / length) * back }, `arrow arrow-${k}`);
      if (back) {
        const [dx, dy] = [(u - x) / length, (v - y) / length], h = size * 0.3;
        const tip = [[u, v], [u - dx * h - dy * h * 0.6, v - dy * h + dx * h * 0.6], [u - dx * h + dy * h * 0.6, v - dy * h - dx * h * 0.6]];
        this.add("polygon", { points: tip.map((one) => one.join(",")).join(" ") }, `tip tip-${k}`);
      }
    }
  }

  private under(event: PointerEvent): string | null {
    for (const one of document.elementsFromPoint(event.clientX, event.clientY)) {
      const found = one.closest("[data-at],[data-move]");
      if (found && this.host.contains(found)) return found.getAttribute("data-move") !== null ? `move:${found.getAttribute("data-move")}` : found.getAttribute("data-at");
    }
    return null;
  }

  private released(event: PointerEvent): void {
    const from = this.pressed, to = this.under(event);
    this.pressed = null;
    if (!to || this.still) { this.clear(); return; }
    const at = { x: event.clientX, y: event.clientY };
    if (from && from !== to && !from.startsWith("move:")) {
      this.picked = [];
      this.click(from, at);
      if (this.picked.length) this.click(to, at);
    } else this.click(to, at);
  }

  private key(event: KeyboardEvent): void {
    const one = event.target instanceof Element ? event.target : null;
    if (event.key === "Escape") { this.clear(); return; }
    if (!one || this.still) return;
    const name = one.getAttribute("data-at"), box = one.getBoundingClientRect();
    if (event.key === "Enter" || event.key === " ") {
      event.preventDefault();
      const move = one.getAttribute("data-move");
      const keep = name;
      this.click(move !== null ? `move:${move}` : name ?? "", { x: box.left + box.width / 2, y: box.top + box.height / 2 });
      if (keep) (this.focusable(keep) ?? this.host.querySelector<SVGElement>("[tabindex]"))?.focus();
    } else if (event.key.startsWith("Arrow") && name) {
      event.preventDefault();
      event.stopPropagation();
      this.step(box, event.key);
    }
  }

  private focusable(name: string): SVGElement | null {
    const one = this.spots.get(name)?.elements[0];
    return one?.hasAttribute("tabindex") ? one : null;
  }

  // The nearest place in a direction.
  private step(from: DOMRect, key: string): void {
    const [dx, dy] = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] }[key] ?? [0, 0];
    let best: SVGElement | null = null, least = Infinity;
    for (const one of this.host.querySelectorAll<SVGElement>("[tabindex]")) {
      const box = one.getBoundingClientRect();
      const x = box.left + box.width / 2 - from.left - from.width / 2, y = box.top + box.height / 2 - from.top - from.height / 2;
      const along = x * dx! + y * dy!, across = Math.abs(x * dy!) + Math.abs(y * dx!);
      if (along > 1 && along + 2.5 * across < least) { least = along + 2.5 * across; best = one; }
    }
    best?.focus();
  }

  clear(): void {
    this.picked = [];
    this.mark();
  }

  private click(name: string, at: { x: number; y: number }): void {
    if (name.startsWith("move:")) {
      const whole = this.moves.find((move) => move.move === name.slice(5));
      if (whole) this.choose(whole);
      return;
    }
    const now = [...this.picked, name];
    const fits = (path: string[]): Move[] => this.moves.filter((move) => move.path && path.every((one, k) => move.path![k] === one));
    let found = fits(now);
    if (!found.length && this.picked.length) {
      const short = this.going().filter((move) => move.path![move.path!.length - 1] === name);
      if (short.length) { this.settle(short, now, at); return; }
      this.picked = [];
      found = fits([name]);
      if (!found.length) { this.mark(); return; }
      this.go([name], found, at);
      return;
    }
    if (found.length) this.go(now, found, at);
  }

  private go(path: string[], found: Move[], at: { x: number; y: number }): void {
    const ready = found.filter((move) => move.path!.length === path.length);
    if (!ready.length) { this.picked = path; this.mark(); return; }
    this.settle(found, path, at);
  }

  private settle(found: Move[], path: string[], at: { x: number; y: number }): void {
    this.picked = [];
    this.mark();
    if (found.length === 1) this.choose(found[0]!);
    else { this.picked = path; this.mark(); this.menu(found, at); }
  }
}
