// Runs of evolution: a list, one run live, its champion and population, two runs compared.

import uPlot from "uplot";
import { type Json, get, post, query, watch } from "./api";
import { attempt, count, go, html, type Leave, live, nothing, number, render, say, show, table, title } from "./page";

const COLOURS = ["first", "second", "third", "fourth"];
const colour = (k: number): string => getComputedStyle(document.documentElement).getPropertyValue(`--lw-${COLOURS[k % 4]}`).trim() || "#2f6f9f";
const ink = (): string => getComputedStyle(document.documentElement).getPropertyValue("--lw-quiet").trim() || "#666";
interface Curve { name: string; xs: number[]; ys: (number | null)[] }

function plot(host: HTMLElement, heading: string, curves: Curve[], xLabel = "generation"): void {
  const xs = [...new Set(curves.flatMap((one) => one.xs))].sort((a, b) => a - b);
  const columns = curves.map((one) => { const by = new Map(one.xs.map((x, k) => [x, one.ys[k] ?? null])); return xs.map((x) => by.get(x) ?? null); });
  const figure = document.createElement("figure");
  figure.className = "plot";
  const caption = document.createElement("figcaption");
  caption.textContent = `${heading} by ${xLabel}`;
  figure.append(caption);
  host.append(figure);
  const axis = (): uPlot.Axis => ({ stroke: ink(), grid: { stroke: ink(), width: 0.3 }, ticks: { stroke: ink(), width: 0.3 } });
  new uPlot({
    width: Math.max(Math.min(host.clientWidth || 480, 480) - 8, 240), height: 200, scales: { x: { time: false } },
    series: [{ label: xLabel }, ...curves.map((one, k) => ({ label: one.name, stroke: colour(k), width: 2, dash: k ? [6 - k, 3] : [], spanGaps: true, points: { show: one.xs.length < 3 } }))],
    axes: [axis(), axis()], legend: { live: false },
  }, [xs, ...columns] as uPlot.AlignedData, figure);
}

export async function runs(host: HTMLElement, address: URL): Promise<Leave | void> {
  title("runs");
  let found = await attempt(() => get("/runs"));
  const names = await attempt(() => get("/published"));
  if (!found) return;
  const sort = address.searchParams.get("sort") ?? "score";
  const value = (run: Json): number => (sort === "score" ? -(run.score?.score ?? run.score?.value ?? -1) : sort === "generation" ? -run.generation : sort === "seed" ? run.seed : 0);
  let rows: Json[] = [];
  const chosen = new Set<string>();
  const pick = (id: string, on: boolean): void => { if (on) chosen.add(id); else chosen.delete(id); draw(); };
  const begin = (event: Event): void => {
    event.preventDefault();
    const form = new FormData(event.target as HTMLFormElement);
    void attempt(() => post("/jobs", { kind: "evolve", name: String(form.get("name")), preset: String(form.get("preset")), seed: Number(form.get("seed")) })).then((job) => { if (job) go("/j"); });
  };
  const score = (one: Json): string => (one ? `${number(one.score ?? one.value)} [${number(one.low)}, ${number(one.high)}]` : "");
  const draw = (): unknown => render(html`<h1>Runs</h1>
    <p class="quiet">sorted by ${["score", "generation", "seed"].map((one) => html`<a href="/r?sort=${one}" aria-current=${one === sort ? "true" : "false"}>${one}</a> `)}</p>
    ${rows.length ? table(["", "run", "experiment", "preset", "seed", "generation", "champion", "random search", ""], rows.map((run) => [
      html`<input type="checkbox" aria-label="compare ${run.name}" @change=${(e: Event) => pick(run.id, (e.target as HTMLInputElement).checked)}>`,
      html`<a href="/r/${run.id}">${run.name}</a>`, run.experiment, run.preset, run.seed, run.trouble || `${run.generation}/${run.generations}${run.finished ? "" : " …"}`, score(run.score), score(run.baseline), run.score?.opponent ?? ""]), [4]) : html`<p>No runs in the folders yet.</p>`}
    <div class="row"><button class="main" ?disabled=${chosen.size !== 2} @click=${() => { const [a, b] = [...chosen]; go(`/r/compare${query({ a, b })}`); }}>Compare ${chosen.size === 2 ? "these two" : "two"}</button></div>
    <details class="box"><summary>Evolve something</summary><form class="form" @submit=${begin}>
      <label>experiment <input name="name" required list="experiments" value="onemax"></label><datalist id="experiments">${(names?.published.find((one: Json) => one.kind === "evolve")?.names ?? []).map((one: string) => html`<option value=${one}></option>`)}</datalist>
      <label>preset <select name="preset"><option>quick</option><option>standard</option><option>paper</option></select></label>
      <label>seed <input name="seed" type="number" value="0"></label><button class="main" type="submit">Evolve</button></form></details>`, host);
  const sorted = (): void => { rows = [...found.runs].sort((a, b) => value(a) - value(b)); draw(); };
  sorted();
  return live(async () => { const now = await attempt(() => get("/runs")); if (now && host.isConnected) { found = now; sorted(); } });
}

const curvesOf = (run: Json): { heading: string; curves: Curve[]; x: string }[] => {
  const branches: [string, Json][] = Object.entries(run.branches);
  const main = branches.filter(([name]) => !name.includes("/") && name !== "baseline");
  const of = (points: Json[], key: string, name: string): Curve => ({ name, xs: points.map((p) => p.number), ys: points.map((p) => p[key]) });
  const found: { heading: string; curves: Curve[]; x: string }[] = [];
  const points = run.branches.evolution?.points ?? main[0]?.[1].points ?? [];
  found.push({ heading: "fitness", x: "generation", curves: [of(points, "best_fitness", "best"), of(points, "mean_fitness", "mean")] });
  const inGames = branches.every(([, branch]) => branch.points.every((p: Json) => p.counts?.games !== undefined));
  const yard: Curve[] = branches.flatMap(([name, branch]) => {
    const spent = new Map<number, number>(branch.points.map((p: Json) => [p.number, inGames ? p.counts.games : p.evaluations]));
    const notes: Json[] = branch.measures.yardstick;
    return notes.length ? [{ name: name === "baseline" ? "random search" : name, xs: notes.map((n) => spent.get(n.generation) ?? n.generation), ys: notes.map((n) => n.score ?? n.value) }] : [];
  });
  if (yard.length) found.push({ heading: "score against the yardstick", x: inGames ? "games" : "evaluations", curves: yard });
  found.push({ heading: "size", x: "generation", curves: [of(points, "best_size", "best"), of(points, "mean_size", "mean"), of(points, "largest_size", "largest")] });
  found.push({ heading: "different genomes", x: "generation", curves: [of(points, "distinct", "different"), of(points, "individuals", "individuals")] });
  const counted = ["shapes", "lineages"].filter((key) => points.some((p: Json) => p.counts?.[key] !== undefined));
  if (counted.length) found.push({ heading: "shapes and lineages", x: "generation", curves: counted.map((key) => ({ name: key, xs: points.map((p: Json) => p.number), ys: points.map((p: Json) => p.counts?.[key] ?? null) })) });
  const islands = branches.filter(([name]) => !["evolution", "baseline", "late"].includes(name));
  if (islands.length) found.push({ heading: "populations and islands: best fitness", x: "generation", curves: islands.map(([name, branch]) => of(branch.points, "best_fitness", name)) });
  return found;
};

export async function run(host: HTMLElement, address: URL, parts: string[]): Promise<Leave | void> {
  const id = parts[0]!;
  let found = await attempt(() => get(`/runs/${id}`));
  if (!found) return;
  title(found.experiment);
  let champion: Json = null, population: Json[] = [];
  const play = (): void => void attempt(() => post("/tables", { game: champion.game, seats: ["human", `evolved:${id}`] })).then((made) => { if (made) go(`/t/${made.table}`); });
  const watchGame = (): void => void attempt(() => post("/tables", { game: champion.game, seats: [`evolved:${id}`, champion.facts.opponent ?? "uct:playouts=200"] })).then((made) => { if (made) go(`/t/${made.table}`); });
  const ablate = (): void => void attempt(() => post("/jobs", { kind: "show", run: id, games: 100 })).then((job) => { if (job) go("/j"); });
  const resume = (): void => void attempt(() => post("/jobs", { kind: "evolve", run: id })).then((job) => { if (job) go("/j"); });
  const draw = (): void => {
    const last = found.branches.evolution?.points.at(-1);
    const record: Json[] = Object.values(found.branches as Record<string, Json>).flatMap((branch) => branch.measures.record);
    render(html`<h1>${found.experiment}, seed ${found.seed}</h1>
      <p>${found.preset}, generation <b>${found.generation}</b> of ${found.generations}${found.finished ? ", finished" : ""}
        <progress max=${found.generations || 1} value=${Math.max(found.generation, 0)} aria-label="generations"></progress>
        ${last ? html`${count(last.evaluations)} evaluations` : nothing} <span class="bad">${found.trouble}</span> · <a href="/api/v1/runs/${id}">data</a>
        ${!found.finished && found.writable ? html`<button @click=${resume}>Resume</button>` : nothing}</p>
      <div id="plots" class="plots"></div>
      ${champion ? html`<section><h2>Champion</h2><div class="row">${champion.game ? html`<button class="main" @click=${play}>Play it</button><button @click=${watchGame}>Watch it</button>` : nothing}
        ${champion.parts.length ? html`<button @click=${ablate}>What is each part worth? (job)</button>` : nothing}</div>
        <div id="champion" class="drawing"></div>
        ${champion.facts.text ? html`<pre class="code" tabindex="0">${text(champion.facts.text)}</pre>` : nothing}
        ${table(["fact", ""], Object.entries(champion.facts).filter(([key, value]) => key !== "text" && typeof value !== "object" && !long(value)).map(([key, value]) => [key, String(value)]))}
        ${Object.entries(champion.facts).filter(([key, value]) => key !== "text" && long(value)).map(([key, value]) => html`<details ?open=${key === "heat maps" || key === "formula"}><summary>${key}</summary><pre class="text" tabindex="0">${String(value)}</pre></details>`)}
        ${champion.python ? html`<details><summary>as Python</summary><pre class="code" tabindex="0">${champion.python}</pre></details>` : nothing}</section>` : nothing}
      ${record.length ? html`<h2>Record</h2>${table(["opponent", "score", "interval", "games"], record.map((one) => [one.opponent, number(one.score ?? one.value), `[${number(one.low)}, ${number(one.high)}]`, one.games ?? one.n]), [3])}` : nothing}
      <section><h2>Last population</h2><div id="scatter"></div>
        ${population.length ? html`<details><summary>as a table</summary>${table(["individual", "size", "fitness", "origin"], population.map((one) => [html`<a href="/r/${id}/g/${found.generation}/${one.number}">#${one.number}</a>`, one.size, number(one.fitness), one.origin ?? ""]), [1, 2])}</details>` : nothing}</section>
      <details><summary>Settings</summary>${table(["setting", "value"], Object.entries(found.settings).map(([key, value]) => [key, key === "language" ? html`<pre class="code">${String(value)}</pre>` : JSON.stringify(value)]))}</details>`, host);
    const plots = host.querySelector<HTMLElement>("#plots")!;
    plots.replaceChildren();
    for (const one of curvesOf(found)) plot(plots, one.heading, one.curves, one.x);
    if (champion?.svg) show(host.querySelector("#champion"), champion.svg);
    scatter(host.querySelector<HTMLElement>("#scatter")!, population, id, found.generation);
  };
  const more = async (): Promise<void> => {
    champion = found.score || found.finished ? await get(`/runs/${id}/champion`).catch(() => null) : null;
    population = found.generation >= 0 ? (await get(`/runs/${id}/generations/${found.generation}`).catch(() => ({ individuals: [] }))).individuals : [];
    draw();
  };
  draw();
  void more();
  return watch(`run/${id}`, (message) => {
    if (message.kind === "generation") {
      const branch = (found.branches[message.branch] ??= { points: [], measures: { yardstick: [], finalist: [], champion: [], record: [] } });
      if (!branch.points.some((p: Json) => p.number === message.point.number)) branch.points.push(message.point);
      if (message.yardstick) branch.measures.yardstick.push(...message.yardstick);
      found.generation = Math.max(found.generation, message.branch === "evolution" ? message.point.number : 0);
      say(`generation ${found.generation}`);
    } else if (message.kind === "state" || message.kind === "skipped") {
      void attempt(async () => { const now = await get(`/runs/${id}`), ended = now.finished && !found.finished; found = now; if (ended) await more(); else draw(); });
    }
  }, found.seq);
}

const long = (value: unknown): boolean => typeof value === "string" && (value.includes("\n") || value.length > 120);
const text = (value: unknown): string => (Array.isArray(value) ? value.join("\n") : typeof value === "string" ? value : JSON.stringify(value, null, 1));

function scatter(host: HTMLElement, rows: Json[], id: string, generation: number): void {
  const points = rows.filter((one) => typeof one.fitness === "number" && typeof one.size === "number");
  if (!points.length) { host.textContent = "nothing to draw"; return; }
  const sizes = points.map((p) => p.size), fits = points.map((p) => p.fitness);
  const [x0, x1, y0, y1] = [Math.min(...sizes), Math.max(...sizes), Math.min(...fits), Math.max(...fits)];
  const X = (v: number): number => 40 + (400 * (v - x0)) / (x1 - x0 || 1), Y = (v: number): number => 180 - (160 * (v - y0)) / (y1 - y0 || 1);
  const marks = points.map((p) => `<circle cx="${X(p.size).toFixed(1)}" cy="${Y(p.fitness).toFixed(1)}" r="4" class="lw-fill-first" fill="#2f6f9f" fill-opacity="0.6" data-at="${p.number}"><title>#${p.number}: size ${p.size}, fitness ${p.fitness}</title></circle>`);
  const made = show(host, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 460 210" role="img" aria-label="size and fitness of the last population"><text x="240" y="205" text-anchor="middle" font-size="12" class="lw-fill-quiet" fill="#666">size ${x0} to ${x1}</text><text x="4" y="14" font-size="12" class="lw-fill-quiet" fill="#666">fitness ${number(y0)} to ${number(y1)}</text>${marks.join("")}</svg>`);
  made?.addEventListener("click", (event) => { const at = (event.target as Element).getAttribute("data-at"); if (at) go(`/r/${id}/g/${generation}/${at}`); });
}

export async function individual(host: HTMLElement, _address: URL, parts: string[]): Promise<void> {
  const [id, generation, number_] = parts as [string, string, string];
  const found = await attempt(() => get(`/runs/${id}/individuals/evolution/${generation}/${number_}`));
  if (!found) return;
  render(html`<h1>Individual ${number_} of generation ${generation}</h1><p><a href="/r/${id}">the run</a></p>
    ${table(["fact", ""], ["fitness", "size", "origin", "parents"].map((key) => [key, String(found[key])]))}
    <pre class="code" tabindex="0">${found.genome}</pre>${found.detail && found.detail !== "null" ? html`<pre class="text" tabindex="0">${found.detail}</pre>` : nothing}`, host);
}

export async function compare(host: HTMLElement, address: URL): Promise<void> {
  const [a, b] = [address.searchParams.get("a"), address.searchParams.get("b")];
  const [one, two, verdict] = await Promise.all([attempt(() => get(`/runs/${a}`)), attempt(() => get(`/runs/${b}`)), attempt(() => get(`/runs/compare${query({ a, b })}`))]);
  if (!one || !two || !verdict) return;
  title("compare");
  render(html`<h1>Two runs</h1>
    <p>${verdict.test ? html`difference <b>${number(verdict.difference)}</b>; ${verdict.test}: p = ${number(verdict.p)}${verdict.better ? `; the ${verdict.better} is better` : ""}` : nothing} <span class="quiet">${verdict.why}</span></p>
    <h2>Settings that differ</h2>${Object.keys(verdict.settings).length ? table(["setting", one.experiment + " (first)", two.experiment + " (second)"], Object.entries(verdict.settings as Record<string, Json[]>).map(([key, values]) => [key, short(values[0]), short(values[1])])) : html`<p>none but the seeds: ${verdict.seeds.join(" and ")}</p>`}
    <div id="plots" class="plots"></div>`, host);
  const plots = host.querySelector<HTMLElement>("#plots")!;
  const first = curvesOf(one), second = curvesOf(two);
  first.forEach((left, k) => {
    const right = second.find((other) => other.heading === left.heading);
    plot(plots, left.heading, [{ ...left.curves[0]!, name: `first: ${left.curves[0]!.name}` }, ...(right ? [{ ...right.curves[0]!, name: `second: ${right.curves[0]!.name}` }] : [])], left.x);
    void k;
  });
}

const short = (value: unknown): string => { const said = JSON.stringify(value) ?? ""; return said.length > 80 ? said.slice(0, 77) + "…" : said; };
