// Events: files of games with standing, ratings and sequential test; games replayed; runs of worlds as films.

import { type Json, get, post, query, watch } from "./api";
import { TableScreen } from "./play";
import { attempt, go, html, type Leave, live, nothing, number, render, say, show, table, title } from "./page";

export async function events(host: HTMLElement): Promise<Leave> {
  title("events");
  const load = async (): Promise<void> => {
    const found = await attempt(() => get("/events"));
    if (found && host.isConnected) list(host, found);
  };
  await load();
  return live(load);
}

function list(host: HTMLElement, found: Json): void {
  render(html`<h1>Events</h1>
    ${found.events.length ? table(["event", "folder", "written"], found.events.map((one: Json) => [html`<a href="/e/${one.id}">${one.name}</a>`, one.folder, when(one.time)])) : html`<p>No files of games in the folders. A match or a tournament makes one:</p>`}
    ${contest()}`, host);
}

export const when = (seconds: number): string => new Date(seconds * 1000).toLocaleString();

function contest(): unknown {
  const submit = (event: Event): void => {
    event.preventDefault();
    const form = new FormData(event.target as HTMLFormElement);
    const agents = String(form.get("agents")).split(/\s+/).filter(Boolean);
    const body: Json = { kind: agents.length === 2 ? "match" : "tournament", game: String(form.get("game")), agents, games: Number(form.get("games")), seed: Number(form.get("seed")) };
    if (form.get("sprt")) body.sprt = String(form.get("sprt"));
    void attempt(() => post("/jobs", body)).then((job) => { if (job) go("/j"); });
  };
  return html`<details class="box"><summary>Begin a match or a tournament</summary><form class="form" @submit=${submit}>
    <label>game <input name="game" required value="tic-tac-toe"></label>
    <label>agents, separated by blanks <input name="agents" required value="uct:playouts=200 uct:playouts=50 random"></label>
    <label>games a pair <input name="games" type="number" min="2" step="2" value="20"></label>
    <label>seed <input name="seed" type="number" value="0"></label>
    <label>sequential test, LOW,HIGH (two agents) <input name="sprt" placeholder="0,50"></label>
    <button class="main" type="submit">Begin</button></form></details>`;
}

export async function event(host: HTMLElement, address: URL, parts: string[]): Promise<Leave | void> {
  const id = parts[0]!;
  const filters = (): Record<string, string> => Object.fromEntries([...new URL(location.href).searchParams].filter(([key]) => ["agent", "seat", "end", "plies", "offset"].includes(key)));
  let found = await attempt(() => get(`/events/${id}`));
  if (!found) return;
  title(found.game);
  let games = await attempt(() => get(`/events/${id}/games${query(filters())}`));
  const set = (key: string, value: string): void => {
    const to = new URL(location.href);
    if (value) to.searchParams.set(key, value); else to.searchParams.delete(key);
    if (key !== "offset") to.searchParams.delete("offset");
    history.replaceState(null, "", to.pathname + to.search);
    void attempt(async () => { games = await get(`/events/${id}/games${query(filters())}`); draw(); });
  };
  const draw = (): void => {
    const now = filters(), wanted = Number(found.header?.games ?? 0), offset = Number(now.offset ?? 0);
    render(html`<h1>${found.game}</h1>
      <p>${found.agents.length} agents, <b>${found.played}</b> games${wanted ? nothing : nothing} <span class="quiet">${found.event.name}</span> · <a href="/api/v1/events/${id}">data</a></p>
      ${found.standing ? standing(found) : nothing}
      ${found.sprt && found.sprt.llr !== null ? sprt(found.sprt) : nothing}
      <h2>Games</h2>
      <div class="row filters"><label>agent <select @change=${(e: Event) => set("agent", (e.target as HTMLSelectElement).value)}><option value="">all</option>${found.agents.map((one: string) => html`<option ?selected=${now.agent === one}>${one}</option>`)}</select></label>
        <label>seat <select @change=${(e: Event) => set("seat", (e.target as HTMLSelectElement).value)}><option value="">any</option><option value="0" ?selected=${now.seat === "0"}>first</option><option value="1" ?selected=${now.seat === "1"}>second</option></select></label>
        <label>ending <select @change=${(e: Event) => set("end", (e.target as HTMLSelectElement).value)}><option value="">any</option>${["rules", "repetition", "length", "adjudication", "forfeit"].map((one) => html`<option ?selected=${now.end === one}>${one}</option>`)}</select></label>
        <label>plies at least <input type="number" min="0" .value=${now.plies ?? ""} @change=${(e: Event) => set("plies", (e.target as HTMLInputElement).value)}></label></div>
      ${games ? html`${table(["game", "agents", "result", "plies", "ending"], games.games.map((one: Json) => [html`<a href="/e/${id}/${one.number}">#${one.game}</a>`, one.agents.join(" – "), one.payoffs.map((v: number) => number(v)).join(" : "), one.plies, one.end + (one.reason ? ` (${one.reason})` : "")]), [3])}
      <div class="row"><button ?disabled=${offset === 0} @click=${() => set("offset", String(Math.max(offset - 100, 0) || ""))}>before</button>
        <span>${Math.min(offset + 1, games.total)}–${Math.min(offset + 100, games.total)} of ${games.total}</span>
        <button ?disabled=${offset + 100 >= games.total} @click=${() => set("offset", String(offset + 100))}>after</button></div>` : nothing}`, host);
  };
  draw();
  return watch(`event/${id}`, (message) => {
    if (message.kind !== "standing" && message.kind !== "skipped") return;
    void attempt(async () => {
      found = message.kind === "standing" ? { ...found, ...message } : await get(`/events/${id}`);
      games = await get(`/events/${id}/games${query(filters())}`);
      draw();
      say(`${found.played} games`);
    });
  }, found.seq);
}

function standing(found: Json): unknown {
  const rows: Json[] = found.standing.ratings ?? found.standing.payoffs ?? [];
  const keys = rows.length ? Object.keys(rows[0]).filter((key) => typeof rows[0][key] !== "object" || rows[0][key] === null) : [];
  const cross: Json[] = found.standing.crosstable ?? found.standing.pairs ?? [];
  return html`${table([...keys, "Elo, 95 %"], rows.map((row) => [...keys.map((key) => (typeof row[key] === "number" ? number(row[key]) : row[key])), row.elo?.low !== undefined ? `${number(row.elo.value ?? row.elo.elo, 0)} [${number(row.elo.low, 0)}, ${number(row.elo.high, 0)}]` : ""]), keys.flatMap((key, k) => (typeof rows[0]?.[key] === "number" ? [k] : [])))}
    ${cross.length ? html`<details><summary>Crosstable</summary>${table(Object.keys(flat(cross[0])), cross.map((row) => Object.values(flat(row)).map((one) => (typeof one === "number" ? number(one) : one))))}</details>` : nothing}`;
}

const flat = (row: Json): Record<string, unknown> => Object.fromEntries(Object.entries(row).filter(([, value]) => typeof value !== "object" || value === null));

function sprt(test: Json): unknown {
  const part = (test.llr - test.lower) / (test.upper - test.lower);
  return html`<p class="sprt">SPRT ${test.test}: LLR ${number(test.llr, 2)} between ${number(test.lower, 2)} and ${number(test.upper, 2)}
    <meter min="0" max="1" .value=${Math.min(Math.max(part, 0), 1)} aria-label="log-likelihood ratio"></meter>
    ${test.llr >= test.upper ? "accepted" : test.llr <= test.lower ? "rejected" : "going on"}</p>`;
}

export async function replay(host: HTMLElement, address: URL, parts: string[]): Promise<Leave | void> {
  const [id, game] = parts as [string, string];
  const ply = address.searchParams.get("ply");
  const rows = await attempt(() => get(`/events/${id}/games${query({ offset: Number(game), limit: 1 })}`));
  if (!rows) return;
  let found: Json;
  try {
    found = await get(`/events/${id}/games/${game}${query({ ply: ply ?? 0 })}`);
  } catch (error) {
    if (String(error).includes("ticks")) return film(host, id, Number(game));
    say(String((error as Error).message), "bad");
    return;
  }
  const inner = document.createElement("div"), head = document.createElement("p");
  host.replaceChildren(head, inner);
  const record = found.facts.record;
  render(html`<a href="/e/${id}">event</a> · game ${game}: ${record.agents.join(" – ")}, ${record.payoffs.map((v: number) => number(v)).join(" : ")} (${record.end}${record.reason ? `, ${record.reason}` : ""})`, head);
  return new TableScreen(inner, found.table, null, `/events/${id}/games/${game}`).open(ply === null ? 0 : Number(ply));
}

async function film(host: HTMLElement, id: string, game: number): Promise<Leave | void> {
  const found = await attempt(() => get(`/events/${id}/games/${game}/film`));
  if (!found) return;
  let at = 0, timer = 0;
  const still = matchMedia("(prefers-reduced-motion: reduce)").matches;
  const draw = (): void => {
    render(html`<p><a href="/e/${id}">event</a> · run ${game}: ${found.agents.join(" – ")}, ${found.ticks} ticks</p>
      <div class="film" id="film"></div>
      <div class="row"><button @click=${toggle}>${timer ? "stop" : "play"}</button>
      <input type="range" aria-label="tick" min="0" max=${found.frames.length - 1} .value=${String(at)} @input=${(e: Event) => { at = Number((e.target as HTMLInputElement).value); draw(); }}>
      <span>tick ${found.frames[at]?.tick ?? 0} of ${found.ticks}</span></div>`, host);
    show(host.querySelector("#film"), found.frames[at]?.svg ?? "");
  };
  const toggle = (): void => {
    if (timer) { clearInterval(timer); timer = 0; } else timer = window.setInterval(() => { at = (at + 1) % found.frames.length; draw(); }, 80);
    draw();
  };
  draw();
  if (!still) toggle();
  return () => clearInterval(timer);
}
