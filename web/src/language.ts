// The language editor, the game editor, jobs and published tables.

import { Failure, type Json, get, post, put, query, remove, watch } from "./api";
import { ask } from "./home";
import { attempt, count, go, html, type Leave, nothing, number, render, say, table, title } from "./page";

const PAUSE = 200; // milliseconds after the last key

function editor(text: string, changed: (text: string) => void, bad: () => number | null): unknown {
  const lines = (value: string): string => value.split("\n").map((_, k) => `${k + 1}${bad() === k + 1 ? " ◀" : ""}`).join("\n");
  const input = (event: Event): void => { const area = event.target as HTMLTextAreaElement; (area.previousElementSibling as HTMLElement).textContent = lines(area.value); changed(area.value); };
  const scroll = (event: Event): void => { const area = event.target as HTMLTextAreaElement; (area.previousElementSibling as HTMLElement).scrollTop = area.scrollTop; };
  return html`<div class="editor"><pre class="numbers" aria-hidden="true">${lines(text)}</pre><textarea aria-label="text" spellcheck="false" wrap="off" .value=${text} @input=${input} @scroll=${scroll}></textarea></div>`;
}

const showLine = (host: HTMLElement, line: number | null): void => {
  const area = host.querySelector<HTMLTextAreaElement>("textarea"), numbers = host.querySelector<HTMLElement>(".numbers");
  if (!area || !numbers) return;
  numbers.textContent = area.value.split("\n").map((_, k) => `${k + 1}${line === k + 1 ? " ◀" : ""}`).join("\n");
  if (line) area.scrollTop = numbers.scrollTop = Math.max(0, (line - 5) * 19);
};

export async function languages(host: HTMLElement): Promise<void> {
  title("languages");
  const [files, games] = await Promise.all([attempt(() => get("/files?kind=language")), attempt(() => get("/games"))]);
  if (!files || !games) return;
  const able: Json[] = games.games.filter((one: Json) => !one.source && one.offers?.includes("query"));
  render(html`<h1>Languages</h1><p>What programs are made of: change it, and see at once what breaks.</p>
    <h2>Of a game, to begin with</h2><ul class="cards">${able.map((one) => html`<li><a href="/l/of${query({ game: one.game })}"><b>${one.game}</b></a></li>`)}</ul>
    <h2>Files</h2>${files.files.length ? html`<ul class="cards">${files.files.map((one: Json) => html`<li><a href="/l/${one.id}">${one.name}</a></li>`)}</ul>` : html`<p>none in the folders</p>`}`, host);
}

export async function language(host: HTMLElement, address: URL, parts: string[]): Promise<Leave | void> {
  const id = parts[0]!, own = id !== "of";
  let game = address.searchParams.get("game") ?? "";
  const [start, about, games] = await Promise.all([attempt(() => get(own ? `/languages/${id}` : `/languages${query({ game })}`)), attempt(() => get("/about")), attempt(() => get("/games"))]);
  if (!start || !about) return;
  title("language");
  let text: string = start.toml, hash: string = start.hash ?? "", found: Json = null, timer = 0, asked = 0, dead = false;
  const check = async (): Promise<void> => {
    const mine = ++asked;
    const answer = await attempt(() => post("/languages/check", { toml: text, game: game || null }));
    if (mine !== asked || dead) return;
    found = answer;
    draw();
    showLine(host, found && !found.ok ? found.line : null);
  };
  const changed = (value: string): void => { text = value; clearTimeout(timer); timer = window.setTimeout(() => void check(), PAUSE); };
  const save = async (): Promise<void> => {
    if (own) {
      const done = await attempt(() => put(`/files/${id}`, { text, hash }));
      if (done) { hash = done.hash; say(`saved ${done.name}`, "good"); }
      return;
    }
    const name = window.prompt("Name of the file", `${game.split(":")[0] || "language"}.toml`);
    if (!name) return;
    const folder = about.folders.find((one: Json) => one.write);
    const made = await attempt(() => post("/files", { folder: folder?.id ?? "", name, text }));
    if (made) go(`/l/${made.id}${query({ game })}`);
  };
  const evolve = async (): Promise<void> => {
    const job = await attempt(() => post("/jobs", { kind: "evolve", name: game, preset: "quick", language: text }));
    if (job) go("/j");
  };
  const right = (): unknown => !found ? nothing : !found.ok ? html`<p class="bad" role="status">${found.line ? `line ${found.line}: ` : ""}${found.message}</p>` : html`
    <p class="good" role="status">ok: ${found.primitives} primitives; programs by depth: ${found.space.join(", ")}</p>
    ${found.reads ? html`<p>reads: ${found.reads.map((one: Json) => html`<span class=${one.answered ? "good" : "bad"}>${one.reads} ${one.answered ? "✓" : "✗ not answered"}</span> `)}</p>` : nothing}
    ${found.champions.length ? html`<h2>Champions</h2><ul class="faults">${found.champions.map((one: Json) => html`<li class=${one.ok === false ? "bad" : ""}>${one.run}: ${one.ok ? "still parses" : one.ok === false ? `BREAKS: ${one.why}` : one.why}${one.population ? `; population ${one.population[0]}/${one.population[1]}` : ""}</li>`)}</ul>` : nothing}
    <h2>Twenty random programs, and their values at the start</h2><ol class="programs">${(found.programs ?? []).map((one: Json) => html`<li><code>${one.text}</code> <b>${one.value === null ? one.trouble ?? "" : number(one.value)}</b></li>`)}</ol>${found.message ? html`<p class="bad">${found.message}</p>` : nothing}`;
  const able: Json[] = (games?.games ?? []).filter((one: Json) => !one.source && one.offers?.includes("query"));
  const draw = (): unknown => render(html`<div class="tools"><strong>${own ? "language file" : `language of ${game}`}</strong>
      <label>for the game <select @change=${(e: Event) => { game = (e.target as HTMLSelectElement).value; void check(); }}><option value="">none</option>${able.map((one) => html`<option ?selected=${one.game === game}>${one.game}</option>`)}</select></label>
      <button @click=${save} ?disabled=${!about.write}>${own ? "Save" : "Save as …"}</button><button @click=${evolve} ?disabled=${!game || !found?.ok}>Evolve with it</button><a href="/r">Compare with the run before</a></div>
    <div class="two"><div>${editor(start.toml, changed, () => null)}</div><div class="answer">${right()}</div></div>`, host);
  draw();
  await check();
  return () => { dead = true; clearTimeout(timer); };
}

// The file of a game: text, and with --write an editor that checks on save and marks the line.
export async function gameFile(host: HTMLElement, address: URL, parts: string[]): Promise<void> {
  const id = parts[0]!;
  const source = await attempt(() => get(`/games/${id}/source`));
  if (!source) return;
  title(source.name);
  if (!source.trusted && !source.write) { await ask(host, source, () => gameFile(host, address, parts)); return; }
  const file = await attempt(() => get(`/files/${id}/text`));
  if (!file) return;
  let text: string = file.text, hash: string = file.hash, verdict: Json = null;
  const save = async (): Promise<void> => {
    say("checking …");
    try {
      const done = await put(`/files/${id}`, { text, hash });
      hash = done.hash;
      verdict = done.check;
      say(verdict.ok ? "saved; it keeps the laws of games" : `saved; ${verdict.line ? `line ${verdict.line}: ` : ""}${verdict.error}`, verdict.ok ? "good" : "bad");
    } catch (error) {
      say(error instanceof Failure ? error.message : String(error), "bad");
    }
    draw();
    showLine(host, verdict && !verdict.ok ? verdict.line : null);
  };
  const draw = (): unknown => render(html`<div class="tools"><strong>${file.name}</strong><button class="main" @click=${save} ?hidden=${!file.write}>Save and check</button>
      <a class="button" href="/new${query({ game: id })}">Play</a>${file.write ? nothing : html`<span class="quiet">start with --write to edit it here</span>`}</div>
    ${verdict && !verdict.ok ? html`<p class="bad" role="status">${verdict.file ?? file.name}${verdict.line ? `:${verdict.line}` : ""}: ${verdict.error}</p>` : verdict ? html`<p class="good" role="status">it keeps the laws of games: ${verdict.playouts} random games, ${verdict.positions} positions</p>` : nothing}
    ${editor(file.text, (value) => { text = value; }, () => null)}`, host);
  draw();
}

export async function jobs(host: HTMLElement): Promise<Leave> {
  title("jobs");
  let rows: Json[] = [], open: string | null = null, lines: Json[] = [], dead = false;
  const load = async (): Promise<void> => {
    const found = await attempt(() => get("/jobs"));
    if (!found || dead) return;
    rows = found.jobs;
    draw();
  };
  const stop = async (id: string): Promise<void> => { await attempt(() => remove(`/jobs/${id}`)); await load(); };
  let away: Leave = () => undefined;
  const look = async (id: string): Promise<void> => {
    away();
    open = id;
    lines = [];
    away = watch(`job/${id}`, (message) => { lines.push(message); draw(); });
    const answer = await fetch(`/api/v1/jobs/${id}/lines`, { credentials: "same-origin" });
    const reader = answer.body!.pipeThrough(new TextDecoderStream()).getReader();
    const first = await reader.read();
    void reader.cancel();
    lines = (first.value ?? "").split("\n").filter(Boolean).flatMap((one) => { try { return [JSON.parse(one)]; } catch { return []; } });
    draw();
  };
  const ended = (one: Json): boolean => ["done", "failed", "cancelled", "killed"].includes(one.state);
  const draw = (): unknown => render(html`<h1>Jobs</h1>${rows.length ? table(["kind", "state", "what", "cpu", "memory", ""], rows.map((one) => [one.kind,
      html`<span class=${one.state === "failed" || one.state === "killed" ? "bad" : ""}>${one.state}${one.position ? ` (${one.position})` : ""}</span> <span class="quiet">${one.reason}</span>`,
      html`<button class="plain" @click=${() => look(one.job)}>${one.about || one.kind}</button>`,
      one.cpu === null ? "" : `${one.cpu} s`, one.memory ? `${count(Math.round(one.memory / 1e6))} MB` : "",
      html`<button ?hidden=${ended(one)} @click=${() => stop(one.job)}>stop</button>`]), [3, 4]) : html`<p>Nothing is under way.</p>`}
    ${open ? html`<h2>What it said</h2><pre class="text" tabindex="0">${lines.map((one) => (one.kind === "text" ? one.text : one.kind === "state" ? `(${one.state}${one.reason ? `: ${one.reason}` : ""})` : JSON.stringify(one).slice(0, 300)) + "\n")}</pre>` : nothing}`, host);
  await load();
  const timer = window.setInterval(() => void load(), 1500);
  const unwatch = watch("jobs", () => void load());
  return () => { dead = true; clearInterval(timer); unwatch(); away(); };
}

export async function published(host: HTMLElement, _address: URL, parts: string[]): Promise<void> {
  title("published tables");
  if (parts[0]) {
    const found = await attempt(() => get(`/published/${parts[0]}`));
    if (!found) return;
    render(html`<h1>${found.experiment ?? found.name}</h1><p>${found.preset}, seed ${found.seed} · <a href="/api/v1/published/${parts[0]}">data</a></p>
      ${table(["row", "measure", "published", "ours", "interval", "games", "verdict", ""], found.rows.map((one: Json) => [one.label, one.metric, number(one.published), number(one.ours ?? one.value), `[${number(one.low)}, ${number(one.high)}]`, one.games, html`<b class=${one.verdict === "below" || one.verdict === "differs" ? "bad" : ""}>${one.verdict}</b>`, one.note]), [2, 3, 5])}`, host);
    return;
  }
  const [files, names] = await Promise.all([attempt(() => get("/files?kind=table")), attempt(() => get("/published"))]);
  if (!files || !names) return;
  const begin = (kind: string, name: string): void => void attempt(() => post("/jobs", { kind, name, preset: "quick" })).then((job) => { if (job) go("/j"); });
  render(html`<h1>Published tables</h1>${files.files.length ? html`<h2>Filled</h2><ul class="cards">${files.files.map((one: Json) => html`<li><a href="/p/${one.id}">${one.name}</a></li>`)}</ul>` : nothing}
    ${names.published.map((one: Json) => ["reproduce", "study", "discover"].includes(one.kind) ? html`<h2>${one.kind}</h2><ul class="cards">${one.names.map((name: string) => html`<li><b>${name}</b> <button class="small" @click=${() => begin(one.kind, name)}>quick run</button></li>`)}</ul>` : nothing)}`, host);
}
