// The first page: games, tables, kept games; opening a table; the text of a game file before it runs.

import { Failure, type Json, get, post, query, remove } from "./api";
import { attempt, go, html, nothing, render, say, title } from "./page";

export async function home(host: HTMLElement): Promise<void> {
  title("");
  render(html`<h1>Play and analyse</h1><p class="quiet">looking around …</p>`, host);
  const about = await attempt(() => get("/about"));
  if (about?.guest) { go(`/t/${about.guest.table}?seat=${about.guest.seat}`, true); return; }
  const [games, tables, files] = await Promise.all([attempt(() => get("/games")), attempt(() => get("/tables")), attempt(() => get("/files"))]);
  if (!games) return;
  const own: Json[] = games.games.filter((one: Json) => one.source), ours: Json[] = games.games.filter((one: Json) => !one.source);
  const kept: Json[] = (files?.files ?? []).filter((one: Json) => one.kind === "play" && !one.name.startsWith(".ludwin/"));
  const shut = async (id: string): Promise<void> => { await attempt(() => remove(`/tables/${id}`)); await home(host); };
  render(html`<h1>Play and analyse</h1>
    ${own.length ? html`<section><h2>Your games</h2><ul class="cards">${own.map((one) => html`<li><a href="/new${query({ game: one.game })}"><b>${one.name}</b>
      <span class="quiet">${one.trusted ? "" : "not run yet"}</span></a> <a class="small" href="/g/${one.game}">text</a></li>`)}</ul></section>` : nothing}
    ${tables?.tables.length ? html`<section><h2>Tables</h2><ul class="cards">${tables.tables.slice(0, 12).map((one: Json) => html`<li><a href="/t/${one.table}"><b>${one.game}</b>
      <span class="quiet">${one.seats.join(" – ")}, ${one.plies} plies</span></a> <button class="small" aria-label="close this table of ${one.game}" @click=${() => shut(one.table)}>×</button></li>`)}</ul></section>` : nothing}
    ${kept.length ? html`<section><h2>Kept games</h2><ul class="cards">${kept.map((one) => html`<li><button class="plain" @click=${() => load(one.id)}>${one.name}</button></li>`)}</ul></section>` : nothing}
    <section><h2>Games</h2><ul class="cards">${ours.map((one) => html`<li>${one.world
      ? html`<span><b>${one.game}</b> <span class="quiet">${first(one.about)} (a world that ticks: watch its events)</span></span>`
      : html`<a href="/new${query({ game: one.game })}"><b>${one.game}</b> <span class="quiet">${first(one.about)}</span></a>`}</li>`)}</ul></section>`, host);
}

const first = (about: string): string => about.split(": ").slice(1).join(": ") || about;

async function load(file: string): Promise<void> {
  const made = await attempt(() => post("/tables/load", { file }));
  if (made) go(`/t/${made.table}`);
}

// /new?game=…&position=…&seats=A|B: a form, or a table at once if the address says everything.
export async function fresh(host: HTMLElement, address: URL): Promise<void> {
  const game = address.searchParams.get("game") ?? "tic-tac-toe", position = address.searchParams.get("position");
  const seats = address.searchParams.get("seats"), moves = address.searchParams.get("moves");
  title(`new ${game}`);
  const id = /^[0-9a-f]{12}(:|$)/.test(game) ? game.slice(0, 12) : null;
  if (id) {
    const source = await attempt(() => get(`/games/${id}/source`));
    if (!source) return;
    if (!source.trusted) { await ask(host, source, () => fresh(host, address)); return; }
  }
  if (seats !== null && (position !== null || moves !== null)) { await open({ game, position: position || null, seats: seats.split("|"), moves: moves?.split(" ").filter(Boolean) ?? null }); return; }
  const games = await attempt(() => get("/games"));
  const one = games?.games.find((row: Json) => row.game === game.split(":")[0] || row.source === id);
  const players = one?.players ?? (seats?.split("|").length || 2);
  const levels = Object.keys(one?.levels ?? { easy: "", medium: "", hard: "" });
  const before = seats?.split("|");
  const choices = (player: number): string[] => [...new Set(["human", ...levels, "random", "uct:playouts=1000", ...(before?.[player] ? [before[player]!] : [])])];
  const chosen = (player: number): string => before?.[player] ?? (player === 0 ? "human" : levels.includes("medium") ? "medium" : "uct:playouts=1000");
  const submit = (event: Event): void => {
    event.preventDefault();
    const form = new FormData(event.target as HTMLFormElement);
    const names = Array.from({ length: players }, (_, k) => String(form.get(`own${k}`) || form.get(`seat${k}`)));
    const rest = String(form.get("parameters") ?? "").trim();
    const body: Json = { game: rest ? `${game.split(":")[0]}:${rest}` : game, seats: names };
    for (const key of ["position", "clock"]) if (form.get(key)) body[key] = String(form.get(key));
    if (form.get("nature")) body.nature = "hand";
    void open(body);
  };
  const parameters = Object.entries(one?.parameters ?? {}).map(([key, value]) => `${key}=${value}`).join(", ");
  render(html`<h1>${one?.name ?? game}</h1><p>${one?.about ?? ""}</p>
    <form class="form" @submit=${submit}>
      ${Array.from({ length: players }, (_, k) => html`<div class="row"><label>player ${k} <select name="seat${k}">${choices(k).map((text) => html`<option ?selected=${text === chosen(k)}>${text}</option>`)}</select></label>
        <label>or another agent <input name="own${k}" placeholder="alphabeta:depth=6"></label></div>`)}
      <details><summary>More</summary>
      ${parameters ? html`<label>parameters <input name="parameters" .value=${game.includes(":") ? game.slice(game.indexOf(":") + 1) : ""} placeholder=${parameters}></label>` : nothing}
      <label>position <input name="position" .value=${position ?? ""}></label>
      <label>clock, SECONDS+INCREMENT <input name="clock" placeholder="300+2"></label>
      ${one === undefined || /chance/.test(one?.kind ?? "") ? html`<label><input type="checkbox" name="nature"> I enter what dice or cards show</label>` : nothing}</details>
      <button class="main" type="submit">Play</button></form>`, host);
}

async function open(body: Json): Promise<void> {
  say("sitting down …");
  try {
    const made = await post("/tables", body);
    go(`/t/${made.table}`, true);
  } catch (error) {
    if (error instanceof Failure) say(error.error.file ? `${error.error.file}:${error.error.line}: ${error.message}` : error.message, "bad");
  }
}

// A game file is code: its text is shown, and a person agrees, before it runs.
export async function ask(host: HTMLElement, source: Json, then: () => void | Promise<void>): Promise<void> {
  const agree = async (): Promise<void> => {
    const done = await attempt(() => post("/games/trust", { game: source.game, fingerprint: source.hash }));
    if (done) await then();
  };
  render(html`<h1>${source.name} has not run yet</h1>
    <p>A game file is Python code. If you let it run it has your rights on this machine: it can read and write what you can. Look at it first.</p>
    <div class="row"><button class="main" @click=${agree}>I have seen it: run it</button> <a class="button" href="/">Leave it</a></div>
    ${source.texts.map((one: Json) => html`<h2>${one.file}</h2><pre class="code" tabindex="0">${one.text}</pre>`)}`, host);
}

