// What alpha-beta thinks of every move of a position, depth by depth; a move opens into the answers to it.

import { type Json, type Move, type PvLine, get, post, query, remove, watch } from "./api";
import { attempt, count, go, html, type Leave, nothing, render, say, title, type TemplateResult, worth } from "./page";

interface Level { path: Move[]; job: string | null; state: string; depth: number; mover: number; lines: PvLine[]; away: Leave }

const WAIT = ["queued", "starting", "compiling", "running"];

export async function levels(host: HTMLElement, address: URL, parts: string[]): Promise<Leave | void> {
  const id = parts[0]!, ply = Number(address.searchParams.get("ply") ?? "0"), agent = address.searchParams.get("agent");
  title("levels");
  const view = await attempt(() => get(`/tables/${id}${query({ ply })}`));
  if (!view) return;
  let open: Level[] = [], dead = false;
  const end = async (level: Level): Promise<void> => {
    level.away();
    const job = level.job;
    level.job = null;
    if (job) await remove(`/jobs/${job}`).catch(() => undefined);
  };
  const begin = async (path: Move[]): Promise<void> => {
    const kept = open.filter((one) => one.path.length < path.length);
    for (const one of open) if (WAIT.includes(one.state)) one.state = "stopped";
    await Promise.all(open.map(end));
    const level: Level = { path, job: null, state: "starting", depth: 0, mover: view.mover, lines: [], away: () => undefined };
    open = [...kept, level];
    draw();
    const job = await attempt(() => post("/jobs", { kind: "levels", table: id, agent, ply, path: path.map((one) => one.code), seconds: 30 }));
    if (!job) { level.state = "failed"; draw(); return; }
    level.job = job.job;
    level.state = job.state;
    if (dead || !open.includes(level)) { await end(level); return; }
    level.away = watch(`job/${job.job}`, (message) => {
      if (message.kind === "line") Object.assign(level, { depth: message.depth ?? 0, mover: message.mover, lines: message.lines });
      else if (message.kind === "state") level.state = message.state + (message.reason ? `: ${message.reason}` : "");
      draw();
    }, 0);
  };
  const asTable = async (path: Move[]): Promise<void> => {
    const kept = await attempt(() => get(`/tables/${id}/save`));
    if (!kept) return;
    const moves = [...kept.codes.slice(0, ply), ...path.map((one) => one.code)];
    const made = await attempt(() => post("/tables", { game: view.source ?? view.game, position: kept.start, moves, seats: view.seats.map(() => "human") }));
    if (made) go(`/t/${made.table}`);
  };
  const rows = (level: Level): TemplateResult => html`<div class="wide" tabindex="0" role="region" aria-label="moves"><table>
    <thead><tr><th scope="col">move</th><th scope="col" class="right">value</th><th scope="col" class="right">nodes</th><th scope="col">line</th><th scope="col"></th></tr></thead>
    <tbody>${level.lines.map((one) => html`<tr><td><button class="plain" @click=${() => begin([...level.path, one.line[0]!])}>${one.line[0]?.move ?? ""}</button></td>
      <td class="right">${worth(one.value, one.unit, one.decided)}</td><td class="right">${count(one.nodes ?? 0)}</td>
      <td>${one.line.slice(1).map((move: Json) => move.move).join(" ")}</td>
      <td><button class="plain" @click=${() => asTable([...level.path, one.line[0]!])}>open the position</button></td></tr>`)}</tbody></table></div>`;
  const draw = (): void => {
    if (dead) return;
    render(html`<h1>${view.facts?.game ?? view.game}, ply ${ply}</h1>
      <p class="quiet">Every move is searched one ply less than the position, depth by depth; values are those of the player who is to move. A move opens into the answers to it. <a href="/t/${id}?ply=${ply}">the table</a></p>
      ${open.map((level) => html`<section class="level"><h2>${level.path.length ? `after ${level.path.map((one) => one.move).join(" ")}` : "here"}</h2>
        <p aria-live="off"><b>${level.depth ? `depth ${level.depth}` : ""}</b> <span class="quiet">player ${level.mover} to move, ${level.state}</span>
          ${WAIT.includes(level.state) && level.job ? html`<button @click=${() => end(level).then(() => { level.state = "stopped"; draw(); })}>Stop</button>` : nothing}</p>
        ${level.lines.length ? rows(level) : nothing}</section>`)}`, host);
    const last = open.at(-1);
    if (last) say(`${last.depth ? `depth ${last.depth}, ` : ""}${last.lines.length} moves`);
  };
  await begin([]);
  return () => { dead = true; for (const one of open) void end(one); };
}
