// The search tree of a job: the most visited nodes as a picture; a click opens a node.

import { type Json, get, post } from "./api";
import { attempt, go, html, type Leave, number, render, say, table, title } from "./page";

const NS = "http://www.w3.org/2000/svg";

export async function tree(host: HTMLElement, _address: URL, parts: string[]): Promise<Leave | void> {
  const [id, job] = parts as [string, string];
  title("search tree");
  let limit = 60, node = 0, metric = "visits", dead = false, found: Json = null;
  let box = { x: 0, y: 0, wide: 1100, high: 600 };
  const load = async (): Promise<void> => {
    for (;;) {
      const now = await attempt(() => get(`/jobs/${job}`));
      if (!now || dead) return;
      if (now.state === "done") break;
      if (["failed", "killed", "cancelled"].includes(now.state)) { say(now.reason || now.state, "bad"); return; }
      say(`${now.state} … ${now.reason}`);
      await new Promise((wake) => setTimeout(wake, 200));
    }
    found = await attempt(() => get(`/jobs/${job}/tree?node=${node}&limit=${limit}`));
    if (found && !dead) { say(`${found.nodes.length} of ${found.size} nodes`); draw(true); }
  };
  const open = (one: Json): void => {
    if (one.id === 0) { node = 0; void load(); return; }
    node = one.id === node ? 0 : one.id;
    void load();
  };
  const asTable = async (one: Json): Promise<void> => {
    const view = await attempt(() => get(`/tables/${id}?ply=${found.ply}`)), kept = await attempt(() => get(`/tables/${id}/save`));
    if (!view || !kept) return;
    const moves = [...kept.codes.slice(0, found.ply), ...one.steps];
    const made = await attempt(() => post("/tables", { game: view.source ?? view.game, position: kept.start, moves, seats: view.seats.map(() => "human") }));
    if (made) go(`/t/${made.table}`);
  };
  const draw = (fit = false): void => {
    render(html`<div class="tools"><strong>${found.agent}</strong> <span>${found.nodes.length} of ${found.size} nodes, ${found.playouts} playouts</span>
      <button @click=${() => { limit = Math.min(limit * 2, 400); void load(); }}>more</button><button @click=${() => { limit = Math.max(Math.round(limit / 2), 5); void load(); }}>fewer</button>
      <label>size <select @change=${(e: Event) => { metric = (e.target as HTMLSelectElement).value; draw(); }}><option>visits</option><option>born</option></select></label>
      <button @click=${() => { node = 0; void load(); }}>whole tree</button><a href="/t/${id}">the table</a> · <a href="/api/v1/jobs/${job}/tree?limit=400">data</a></div>
      <div id="tree" class="tree"></div><p class="quiet">wheel: nearer or farther; drag: move; click: open a node; Enter on a node: the same; the list below has every number as text.</p>
      <details><summary>as a table</summary>${table(["move", "visits", "mean", "kind", "depth", ""], found.nodes.map((one: Json) => [one.move || "(here)", one.visits, number(one.mean), one.kind, one.depth, html`<button class="plain" @click=${() => asTable(one)}>open the position</button>`]), [1, 2, 4])}</details>`, host);
    const place = host.querySelector<HTMLElement>("#tree")!;
    const nodes: Json[] = found.nodes, xs = nodes.map((one) => one.x), deepest = Math.max(...nodes.map((one) => one.depth)), top = Math.min(...nodes.map((one) => one.depth));
    const wide = Math.max(...xs) - Math.min(...xs) + 1, step = 44;
    // Nodes begin at least 24 pixels apart: what does not fit is a drag away.
    const most_ = ((host.clientWidth || 1100) * step) / 24, all = Math.max(wide * step + 40, 400);
    const root = nodes.find((one) => one.depth === top)!;
    if (fit) box = { x: all <= most_ ? -20 : Math.min(Math.max((root.x - Math.min(...xs) + 0.5) * step - most_ / 2, -20), all - 20 - most_), y: -20, wide: Math.min(all, most_), high: (deepest - top + 1) * 74 + 60 };
    const X = (one: Json): number => (one.x - Math.min(...xs) + 0.5) * step, Y = (one: Json): number => (one.depth - top) * 74 + 30;
    const svg = document.createElementNS(NS, "svg");
    svg.setAttribute("role", "group");
    svg.setAttribute("aria-label", "search tree");
    const view = (): void => svg.setAttribute("viewBox", `${box.x} ${box.y} ${box.wide} ${box.high}`);
    view();
    const by = new Map(nodes.map((one) => [one.id, one])), most = Math.max(...nodes.map((one) => one[metric]), 1);
    const means = nodes.map((one) => one.mean), low = Math.min(...means), high = Math.max(...means);
    const add = (parent: Element, kind: string, facts: Record<string, string | number>, words = ""): Element => {
      const made = document.createElementNS(NS, kind);
      for (const [key, value] of Object.entries(facts)) made.setAttribute(key, String(value));
      if (words) made.textContent = words;
      parent.append(made);
      return made;
    };
    for (const one of nodes) {
      const above = by.get(one.parent);
      if (above) add(svg, "line", { x1: X(above), y1: Y(above), x2: X(one), y2: Y(one), class: "edge", "stroke-width": 0.6 + 6 * (one.visits / (nodes[0].visits || 1)) });
    }
    for (const one of nodes) {
      const group = add(svg, "g", { role: "button", tabindex: 0, class: "node", "aria-label": `${one.move || "root"}: ${one.visits} visits, mean ${number(one.mean)}, ${one.children} children` });
      const warmth = high > low ? (one.mean - low) / (high - low) : 0.5;
      add(group, one.kind === "chance" ? "rect" : "circle", one.kind === "chance"
        ? { x: X(one) - 8, y: Y(one) - 8, width: 16, height: 16, class: `warm-${Math.round(4 * warmth)}` }
        : { cx: X(one), cy: Y(one), r: 4 + 12 * Math.sqrt(one[metric] / most), class: `warm-${Math.round(4 * warmth)}` });
      add(group, "text", { x: X(one), y: Y(one) + 28, "text-anchor": "middle", "font-size": 10, class: "lw-fill-ink" }, one.move.length > 9 ? one.move.slice(0, 8) + "…" : one.move);
      add(group, "title", {}, `${one.move}: ${one.visits} visits, mean ${number(one.mean)}, playout ${one.born}`);
      group.addEventListener("click", () => { if (!moved) open(one); });
      group.addEventListener("keydown", (event) => { if ((event as KeyboardEvent).key === "Enter") open(one); });
      group.addEventListener("focus", () => say(`${one.move || "root"}: ${one.visits} visits, mean ${number(one.mean)}`));
    }
    let from: { x: number; y: number } | null = null, moved = false;
    svg.addEventListener("wheel", (event) => {
      event.preventDefault();
      const by_ = event.deltaY > 0 ? 1.15 : 1 / 1.15, r = svg.getBoundingClientRect(), px = (event.clientX - r.left) / r.width, py = (event.clientY - r.top) / r.height;
      box = { x: box.x + box.wide * px * (1 - by_), y: box.y + box.high * py * (1 - by_), wide: box.wide * by_, high: box.high * by_ };
      view();
    }, { passive: false });
    svg.addEventListener("pointerdown", (event) => { from = { x: event.clientX, y: event.clientY }; moved = false; });
    svg.addEventListener("pointermove", (event) => {
      if (!from || !event.buttons) return;
      const scale = box.wide / svg.clientWidth;
      if (Math.hypot(event.clientX - from.x, event.clientY - from.y) > 3) moved = true;
      box.x -= (event.clientX - from.x) * scale;
      box.y -= (event.clientY - from.y) * scale;
      from = { x: event.clientX, y: event.clientY };
      view();
    });
    place.replaceChildren(svg);
  };
  await load();
  return () => { dead = true; };
}
