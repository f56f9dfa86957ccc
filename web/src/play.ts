// A table: board, moves, history, seats, advice and analysis; and the same board for a recorded game.

import { type Json, type Move, type Thought, type View, get, post, query, remove, watch } from "./api";
import { Board } from "./board";
import { attempt, count, go, html, type Leave, nothing, number, recall, remember, render, say, show, type TemplateResult, title, worth } from "./page";

interface Engine { agent: string; on: boolean; job: string | null; thought: Thought | null; state: string; stop: () => void }

const fresh = (agent: string): Engine => ({ agent, on: false, job: null, thought: null, state: "", stop: () => undefined });

export class TableScreen {
  private view: View | null = null;
  private latest = 0;
  private board: Board;
  private engines: Engine[] = [fresh("")];
  private lines = Number(recall("lines") ?? "3");
  private unwatch: Leave = () => undefined;
  private curve: Json = null;
  private tab = "moves";
  private playing = 0;
  private dead = false;
  private clock = 0;

  constructor(private host: HTMLElement, private id: string, private seat: number | null, private source: string | null = null) {
    host.replaceChildren();
    this.frame();
    this.board = new Board(this.part("board"), (move) => void this.move(move), (moves, at) => this.menu(moves, at));
    this.board.turn(recall(`flip-${id}`) === "1");
    this.board.frozen = source !== null;
  }

  private part(name: string): HTMLElement {
    return this.host.querySelector<HTMLElement>(`#${name}`)!;
  }

  private frame(): void {
    render(html`<div class="table">
      <div id="tools" class="tools"></div>
      <div class="stage"><div id="bar" class="bar" hidden></div><div id="board" class="board"></div></div>
      <div id="now" class="now"></div>
      <div id="legal" class="legal"></div>
      <div class="side"><div id="tabs" class="tabs" role="tablist"></div>
        <section id="history" class="panel" aria-label="Moves of the game"></section>
        <section id="engine" class="panel" aria-label="Analysis"></section>
        <section id="info" class="panel" aria-label="About this game"></section></div>
      <div id="menu" class="menu" hidden></div>
    </div>`, this.host);
  }

  async open(ply: number | null): Promise<Leave> {
    await this.load(ply);
    this.unwatch = watch(`table/${this.id}`, (message) => void this.heard(message), this.view?.seq ?? null);
    const keys = (event: KeyboardEvent): void => this.key(event);
    document.addEventListener("keydown", keys);
    this.clock = window.setInterval(() => { if (this.view?.clocks && !this.view.over) void this.load(null, true); }, 1000);
    return () => {
      this.dead = true;
      document.removeEventListener("keydown", keys);
      clearInterval(this.clock);
      clearInterval(this.playing);
      this.unwatch();
      for (const one of this.engines) void this.halt(one);
    };
  }

  private async load(ply: number | null, quiet = false): Promise<void> {
    const path = this.source ?? `/tables/${this.id}`;
    const found = await attempt(() => get(path + query({ ply, seat: this.seat })) as Promise<View>);
    if (found && !this.dead) this.set(found, quiet);
  }

  private set(view: View, quiet = false): void {
    if (this.view && view.version < this.view.version) return; // an answer that was overtaken
    const same = quiet && this.view && this.view.ply === view.ply && this.view.over === view.over;
    this.view = { ...view, facts: view.facts ?? this.view?.facts, source: view.source ?? this.view?.source ?? null };
    this.latest = Math.max(view.plies, 0);
    if (same) { this.draw(); return; }
    if (!this.engines[0]!.agent) this.engines[0]!.agent = this.view.facts?.analyst ?? "uct:seconds=60,playouts=0";
    this.board.update(this.view);
    title(view.game);
    this.tell();
    this.draw();
    for (const one of this.engines) {
      one.thought = null;
      if (one.on) void this.analyse(one);
    }
    this.drawEngine();
  }

  private async heard(message: Json): Promise<void> {
    if (this.dead) return;
    if (message.kind === "view" && this.source === null) {
      if (this.view && this.view.ply < this.view.plies && this.view.ply < message.view.ply && !message.view.hidden && this.view.plies >= message.view.plies) return;
      if (message.view.hidden) await this.load(null);
      else this.set({ ...message.view, seat: this.seat });
    } else if (message.kind === "nature" && message.move !== null) {
      say(`nature: ${message.move}`);
    } else if (message.kind === "reload") {
      say("the rules have changed; the table has sat down again");
      await this.load(null);
    } else if (message.kind === "state") {
      if (message.state === "thinking" && this.view) {
        this.view = { ...this.view, thinking: { seat: message.seat, agent: message.agent } };
        this.draw();
      } else if (message.state === "trouble") {
        say(message.error.message, "bad");
      } else if (message.state === "compiling") {
        say(message.words);
      } else if (message.state === "ended" && message.cause !== "it was idle" && !String(message.cause).includes("rules have changed")) {
        say(`the table's process has ended (${message.cause}); the next move starts it anew`, "bad");
      }
    } else if (message.kind === "skipped") await this.load(null);
  }

  // ---- Words

  private who(player: number): string {
    if (player < 0) return "nature";
    const names = this.view!.facts?.record?.agents ?? this.view!.seats;
    const name = names[player] ?? "";
    return `player ${player}${name && name !== "human" ? ` (${name})` : ""}`;
  }

  private result(): string {
    const view = this.view!;
    if (view.end === "resignation") return `${this.who(view.loser ?? 0)} has resigned`;
    if (view.end === "time") return `the time of ${this.who(view.loser ?? 0)} is up`;
    if (!view.payoffs) return "the game is over";
    const best = Math.max(...view.payoffs);
    const winners = view.payoffs.flatMap((value, player) => (value === best ? [player] : []));
    const why = view.end === "rules" ? "" : ` (${view.end})`;
    if (view.players === 1) return `the game is over: ${number(view.payoffs[0])}${why}`;
    if (winners.length > 1) return `a draw${why}: ${view.payoffs.map((one) => number(one)).join(" : ")}`;
    return `${this.who(winners[0]!)} has won${why}: ${view.payoffs.map((one) => number(one)).join(" : ")}`;
  }

  private tell(): void {
    const view = this.view!;
    const last = view.last ? `${this.who(view.last.mover)} played ${view.last.move ?? "something hidden"}. ` : "";
    if (view.trouble) say(view.trouble.message, "bad");
    else say(last + (view.over ? this.result() : `${this.who(view.mover)} to move`), view.over ? "good" : "");
  }

  // ---- Drawing

  private draw(): void {
    render(this.tools(), this.part("tools"));
    render(this.now(), this.part("now"));
    render(this.legal(), this.part("legal"));
    render(this.tabs(), this.part("tabs"));
    render(this.history(), this.part("history"));
    render(this.info(), this.part("info"));
    for (const name of ["history", "engine", "info"]) this.part(name).classList.toggle("off", !this.tabOf(name));
  }

  private tabOf(panel: string): boolean {
    return { moves: "history", analysis: "engine", info: "info" }[this.tab] === panel;
  }

  private tabs(): TemplateResult {
    return html`${["moves", "analysis", "info"].map((one) => html`<button role="tab" aria-selected=${this.tab === one ? "true" : "false"}
      @click=${() => { this.tab = one; this.draw(); }}>${one}</button>`)}`;
  }

  private tools(): TemplateResult {
    const view = this.view!, replay = this.source !== null;
    const guest = document.body.dataset.guest === "1";
    const turn = (): void => {
      this.board.turn(!this.board.flipped);
      remember(`flip-${this.id}`, this.board.flipped ? "1" : "0");
      this.board.update(view);
    };
    return html`<strong class="name">${view.facts?.game ?? view.game}</strong>
      ${replay ? nothing : html`<button @click=${() => go(`/new${query({ game: view.source ?? view.game, seats: view.seats.join("|") })}`)} ?hidden=${guest}>New</button>`}
      <button @click=${turn} ?hidden=${!view.board.flips} aria-pressed=${this.board.flipped ? "true" : "false"}>Flip</button>
      ${replay || guest ? nothing : html`<button @click=${() => this.undo(null)} ?disabled=${view.plies === 0}>Undo</button>
      <button @click=${() => this.advise()} ?disabled=${view.over || view.ply < view.plies}>Hint</button>
      <button @click=${() => this.resign()} ?disabled=${view.over}>Resign</button>`}
      <button @click=${() => this.share()} ?hidden=${view.hidden}>Share</button>
      ${guest ? nothing : html`<a class="button" href="/api/v1/tables/${this.id}/save" download>Save</a>`}
      <button @click=${() => this.fromHere()} ?hidden=${view.hidden || guest}>${replay ? "Analyse from here" : "Branch from here"}</button>`;
  }

  private now(): TemplateResult {
    const view = this.view!;
    const thinking = view.thinking && !view.over ? html`<span class="busy">${view.thinking.agent} thinks …</span>` : nothing;
    const clocks = view.clocks ? html`<span class="clocks">${view.clocks.map((left, k) => html`<span class=${k === view.mover ? "on" : ""}>${Math.max(left, 0).toFixed(0)} s</span>`)}</span>` : nothing;
    const where = view.ply < view.plies ? html`<button @click=${() => this.at(null)}>back to the game (ply ${view.plies})</button>` : nothing;
    return html`<span class=${view.over ? "result" : ""}>${view.over ? this.result() : `${this.who(view.mover)} to move`}</span> ${thinking} ${clocks} ${where}`;
  }

  private legal(): TemplateResult {
    const view = this.view!;
    const mine = this.source === null && view.ply === view.plies && !view.over;
    const may = mine && (view.mover >= 0 ? view.seats[view.mover] === "human" : view.nature === "hand") && (view.seat === null || view.mover < 0 || view.seat === view.mover);
    this.board.frozen = !may && !(mine === false && this.source === null && view.ply < view.plies);
    if (!view.moves.length) return html``;
    const many = view.moves.length > 60;
    const list = html`<ul class="moves" aria-label="Legal moves">${view.moves.map((move) => html`<li><button ?disabled=${!may} @click=${() => this.move(move)}>${move.move}${move.chance !== undefined ? html` <small>${(100 * move.chance).toFixed(0)} %</small>` : nothing}</button></li>`)}</ul>`;
    return many ? html`<details><summary>${view.moves.length} moves</summary>${list}</details>` : list;
  }

  private history(): TemplateResult {
    const view = this.view!;
    const faults = new Map<number, Json>((this.curve?.moves ?? []).filter((one: Json) => one.verdict).map((one: Json) => [one.ply, one]));
    const step = (by: number): void => void this.at(Math.min(Math.max(view.ply + by, 0), this.latest));
    return html`<div class="steps">
        <button aria-label="first" @click=${() => this.at(0)}>«</button><button aria-label="back" @click=${() => step(-1)}>‹</button>
        <span>ply ${view.ply}/${view.plies}</span>
        <button aria-label="forward" @click=${() => step(1)}>›</button><button aria-label="last" @click=${() => this.at(null)}>»</button>
        <button aria-label="play" aria-pressed=${this.playing ? "true" : "false"} @click=${() => this.film()}>${this.playing ? "stop" : "play"}</button></div>
      <ol class="record">${view.history.map((one, k) => html`<li class=${k + 1 === view.ply ? "here" : ""}><button class="plain p${one.mover}" @click=${() => this.at(k + 1)}
        title=${faults.has(k) ? `${faults.get(k).verdict}: ${faults.get(k).best.move} was best` : ""}>${one.move ?? "?"}${faults.has(k) ? html`<span class="fault"> ${faults.get(k).verdict === "mistake" ? "?" : "??"}</span>` : nothing}</button></li>`)}</ol>
      ${document.body.dataset.guest === "1" ? nothing : html`<div class="row"><button @click=${() => this.judge()} ?disabled=${view.plies === 0 || view.players > 2}>Analyse the whole game</button></div>`}
      ${this.curve ? this.curveOf() : nothing}`;
  }

  private curveOf(): TemplateResult {
    const bars: number[] = this.curve.bars ?? [];
    const [wide, high] = [300, 90];
    const x = (k: number): number => (bars.length > 1 ? (k * wide) / (bars.length - 1) : 0);
    const points = bars.map((bar, k) => `${x(k).toFixed(1)},${(high * (1 - bar)).toFixed(1)}`).join(" ");
    return html`<figure class="curve"><svg viewBox="0 -4 ${wide} ${high + 8}" role="img" aria-label="Value of every position, from the first player's side"
        @click=${(event: MouseEvent) => { const box = (event.currentTarget as Element).getBoundingClientRect(); void this.at(Math.round(((event.clientX - box.left) / box.width) * (bars.length - 1))); }}>
        ${lineSvg(points, wide, high, x(this.view!.ply))}</svg>
      <figcaption>first player above, by ${this.curve.agent}; mistakes: ${this.curve.moves.filter((one: Json) => one.verdict).length}</figcaption></figure>
      <ul class="faults">${this.curve.moves.filter((one: Json) => one.verdict).map((one: Json) => html`<li><button class="plain" @click=${() => this.at(one.ply)}>${one.ply + 1}. ${one.move}: ${one.verdict}; ${one.best.move} was best</button></li>`)}</ul>`;
  }

  private info(): TemplateResult {
    const view = this.view!, facts = view.facts;
    const guest = document.body.dataset.guest === "1";
    const choices = (seat: string): TemplateResult[] => [...new Set(["human", ...Object.keys(facts?.levels ?? {}), "random", seat])].map((one) => html`<option value=${one} ?selected=${one === seat}>${one}</option>`);
    const sit = (player: number, text: string): void => {
      const seats = [...view.seats];
      seats[player] = text;
      void attempt(async () => { this.set(await post(`/tables/${this.id}/seats`, { seats })); });
    };
    return html`<p>${facts?.about}</p>
      ${this.source !== null || guest ? nothing : html`<div class="seats">${view.seats.map((seat, player) => html`<label>player ${player}
        <select @change=${(event: Event) => sit(player, (event.target as HTMLSelectElement).value)}>${choices(seat)}</select></label>
        <button @click=${() => this.invite(player)} ?hidden=${seat !== "human"}>Invite</button>`)}</div>`}
      ${view.position ? html`<p><span class="quiet">position</span> <code>${view.position}</code></p>` : nothing}
      ${view.hidden ? html`<p class="quiet">You see what player ${view.seat ?? 0} may know.</p>` : nothing}
      <p class="quiet">board: ${view.board.kind}${view.source ? html` · <a href="/g/${view.source}">its file</a>` : nothing}
      · <a href="/api/v1/tables/${this.id}/picture.svg?ply=${view.ply}">picture</a> · <a href="/api/v1/tables/${this.id}">data</a></p>
      <pre class="text" tabindex="0" aria-label="The position as text">${view.text}</pre>`;
  }

  private drawEngine(): void {
    const view = this.view;
    if (!view) return;
    render(html`${this.engines.map((one, k) => this.engineOf(one, k))}
      <div class="row">${this.engines.length < 2 && this.source === null ? html`<button @click=${() => { this.engines.push(fresh("uct:playouts=0,seconds=60")); this.drawEngine(); }}>Second opinion</button>` : nothing}
      <button @click=${() => this.tree()} ?disabled=${view.over || view.hidden}>Search tree</button>
      ${view.facts?.analyst?.startsWith("alphabeta") ? html`<button @click=${() => go(`/t/${this.id}/levels${query({ ply: view.ply })}`)} ?disabled=${view.over || view.hidden || this.source !== null}>Levels</button>` : nothing}
      <label>lines <select @change=${(event: Event) => { this.lines = Number((event.target as HTMLSelectElement).value); remember("lines", String(this.lines)); for (const one of this.engines) if (one.on) void this.analyse(one); }}>
        ${[1, 2, 3, 5, 8].map((n) => html`<option ?selected=${n === this.lines}>${n}</option>`)}</select></label></div>`, this.part("engine"));
    this.drawBars();
  }

  // One bar, of which the first player's part grows from below; of three players or more a bar for each.
  private drawBars(): void {
    const bar = this.part("bar"), many = this.view!.players > 2;
    const thought = this.engines.find((one) => one.on && one.thought && (many ? one.thought.bars.length : one.thought.bar !== null))?.thought;
    const parts = many ? thought?.bars ?? [] : thought ? [thought.bar ?? 0.5] : [];
    bar.hidden = !this.engines.some((one) => one.on);
    bar.classList.toggle("many", many);
    const shown = parts.length ? parts : Array.from({ length: many ? this.view!.players : 1 }, () => 0.5);
    render(html`${shown.map((_, player) => html`<div class="bar-one"><div class="bar-part bar-${player % 4}"></div></div>`)}`, bar);
    shown.forEach((part, player) => { (bar.children[player]!.firstElementChild as HTMLElement).style.height = `${100 * part}%`; });
    const words = many ? parts.map((_, player) => `player ${player} ${number(thought!.payoffs[player])}`).join(", ") : parts.length ? `${(100 * parts[0]!).toFixed(0)} % for the first player` : "";
    bar.setAttribute("role", "img");
    bar.setAttribute("aria-label", words ? `evaluation: ${words}` : "no evaluation yet");
    bar.title = words;
  }

  private engineOf(one: Engine, k: number): TemplateResult {
    const thought = one.thought;
    const rate = thought && thought.seconds > 0 ? `${count(Math.round(thought.nodes / thought.seconds))} nodes/s` : "";
    return html`<div class="engine">
      <div class="row"><input aria-label="agent that analyses" .value=${one.agent} @change=${(event: Event) => { one.agent = (event.target as HTMLInputElement).value.trim(); if (one.on) void this.analyse(one); }}>
        <button class="toggle" aria-pressed=${one.on ? "true" : "false"} @click=${() => this.toggle(one)}>${one.on ? "Stop" : "Analyse"}</button>
        ${k ? html`<button aria-label="remove" @click=${() => { void this.halt(one); this.engines.splice(k, 1); this.drawEngine(); }}>×</button>` : nothing}</div>
      <div class="facts" aria-live="off"><span>${one.state}</span>
        ${thought ? html`<span>${thought.depth ? `depth ${thought.depth}` : thought.playouts ? `${count(thought.playouts)} playouts` : ""}</span>
        <span><b>${worth(thought.value, thought.unit, thought.decided)}</b> to ${this.who(thought.mover)}</span><span>${rate}</span>
        ${thought.payoffs.length ? html`<span>${thought.payoffs.map((one, player) => html`<span class="key key-${player % 4}">player ${player} <b>${number(one)}</b></span> `)}</span>` : nothing}` : nothing}</div>
      ${thought ? html`<ol class="pvs">${thought.lines.map((line) => html`<li><b>${worth(line.value, line.unit, line.decided)}</b> ${line.line.map((move, i) => html`<button class="plain" @click=${() => this.follow(line.line.slice(0, i + 1))}>${move.move}</button> `)}</li>`)}</ol>
      ${thought.moves.length ? html`<table class="visits"><thead><tr><th scope="col">move</th><th scope="col" class="right">visits</th><th scope="col" class="right">value</th></tr></thead>
        <tbody>${thought.moves.slice(0, 8).map((move) => html`<tr><td>${move.move}</td><td class="right">${move.visits}</td><td class="right">${number(move.value)}</td></tr>`)}</tbody></table>` : nothing}` : nothing}
    </div>`;
  }

  // ---- Doing

  private async move(move: Move): Promise<void> {
    const view = this.view!;
    this.part("menu").hidden = true;
    if (this.source !== null) return;
    const body = { ply: view.ply, code: move.code, seat: view.mover < 0 ? null : this.seat };
    if (view.ply < view.plies) {
      if (!window.confirm("Go back to this position? What was played after it is taken back.")) return;
      await attempt(() => post(`/tables/${this.id}/undo`, { to: view.ply }));
    }
    const found = await attempt(() => post(`/tables/${this.id}/moves`, body) as Promise<View>);
    if (found) this.set(found);
    else await this.load(null);
  }

  private menu(moves: Move[], at: { x: number; y: number }): void {
    const menu = this.part("menu");
    const close = (): void => { menu.hidden = true; this.board.clear(); };
    render(html`<div role="menu" aria-label="Which move?">${moves.map((move) => html`<button role="menuitem" @click=${() => this.move(move)} @focus=${() => this.preview(move)} @pointerenter=${() => this.preview(move)}>${move.move}</button>`)}
      <button role="menuitem" class="quiet" @click=${close}>none of these</button></div><div id="preview" class="preview"></div>`, menu);
    menu.hidden = false;
    menu.style.left = `${Math.max(4, Math.min(at.x + window.scrollX, document.documentElement.clientWidth - 300))}px`;
    menu.style.top = `${at.y + window.scrollY + 8}px`;
    menu.onkeydown = (event) => {
      const items = [...menu.querySelectorAll<HTMLElement>("[role=menuitem]")];
      const here = items.indexOf(document.activeElement as HTMLElement);
      if (event.key === "Escape") close();
      else if (event.key === "ArrowDown") { event.preventDefault(); items[(here + 1) % items.length]?.focus(); }
      else if (event.key === "ArrowUp") { event.preventDefault(); items[(here - 1 + items.length) % items.length]?.focus(); }
    };
    menu.querySelector<HTMLElement>("button")?.focus();
  }

  private async preview(move: Move): Promise<void> {
    if (this.view!.hidden || move.code === null) return;
    const found = await get(`/tables/${this.id}/moves/${move.code}/preview${query({ ply: this.view!.ply })}`).catch(() => null);
    if (found && !this.part("menu").hidden) show(this.part("menu").querySelector("#preview"), found.board.svg);
  }

  private async at(ply: number | null): Promise<void> {
    await this.load(ply);
    const address = new URL(location.href);
    if (ply === null) address.searchParams.delete("ply");
    else address.searchParams.set("ply", String(ply));
    history.replaceState(null, "", address.pathname + address.search);
  }

  private film(): void {
    if (this.playing) { clearInterval(this.playing); this.playing = 0; this.draw(); return; }
    if (this.view!.ply >= this.view!.plies) void this.at(0);
    this.playing = window.setInterval(() => {
      if (this.view!.ply >= this.view!.plies) { clearInterval(this.playing); this.playing = 0; this.draw(); }
      else void this.at(this.view!.ply + 1);
    }, Number(recall("speed") ?? "600"));
    this.draw();
  }

  private key(event: KeyboardEvent): void {
    const at = event.target as HTMLElement;
    if (/^(INPUT|TEXTAREA|SELECT)$/.test(at.tagName) || event.ctrlKey || event.metaKey || event.altKey || !this.view) return;
    if (at.closest(".board") && at.hasAttribute("data-at")) return;
    if (event.key === "ArrowLeft") void this.at(Math.max(this.view.ply - 1, 0));
    else if (event.key === "ArrowRight") void this.at(this.view.ply + 1 >= this.view.plies ? null : this.view.ply + 1);
    else return;
    event.preventDefault();
  }

  private async undo(to: number | null): Promise<void> {
    const found = await attempt(() => post(`/tables/${this.id}/undo`, to === null ? {} : { to }) as Promise<View>);
    if (found) this.set(found);
  }

  private async resign(): Promise<void> {
    const found = await attempt(() => post(`/tables/${this.id}/resign`, {}) as Promise<View>);
    if (found) this.set(found);
  }

  private async share(): Promise<void> {
    const view = this.view!;
    const address = new URL(`/new${query({ game: view.source ?? view.game, position: view.position, seats: view.seats.join("|") })}`, location.href);
    await navigator.clipboard?.writeText(address.href).catch(() => undefined);
    say(`this position: ${address.pathname}${address.search}`);
  }

  private async invite(player: number): Promise<void> {
    const found = await attempt(() => post(`/tables/${this.id}/invite`, { seat: player }));
    if (!found) return;
    const address = new URL(found.path, location.href).href;
    await navigator.clipboard?.writeText(address).catch(() => undefined);
    say(`for player ${player}: ${address}`);
  }

  private async fromHere(): Promise<void> {
    const view = this.view!;
    const codes = view.history.slice(0, view.ply).map((one) => one.code);
    const start = await attempt(() => get(`/tables/${this.id}/save`));
    if (!start) return;
    const body = { game: view.source ?? view.game, position: start.start, moves: codes, seats: view.seats.map(() => "human") };
    const made = await attempt(() => post("/tables", body) as Promise<View>);
    if (made) go(`/t/${made.table}`);
  }

  // ---- Thinking

  private async toggle(one: Engine): Promise<void> {
    one.on = !one.on;
    if (one.on) await this.analyse(one);
    else await this.halt(one);
    this.drawEngine();
  }

  private async halt(one: Engine): Promise<void> {
    one.stop();
    const job = one.job;
    one.job = null;
    one.state = one.on ? one.state : "";
    this.board.line([]);
    if (job) await remove(`/jobs/${job}`).catch(() => undefined);
  }

  private async analyse(one: Engine): Promise<void> {
    await this.halt(one);
    const view = this.view!;
    if (view.over || view.mover < 0 || this.dead) { one.state = view.over ? "the game is over" : "nature moves here"; this.drawEngine(); return; }
    one.state = "starting";
    this.drawEngine();
    const ply = view.ply;
    const job = await attempt(() => post("/jobs", { kind: "analyse", table: this.id, agent: one.agent || null, ply, seat: this.seat, lines: this.lines }));
    if (!job) { one.on = false; one.state = ""; this.drawEngine(); return; }
    if (this.dead || !one.on || this.view!.ply !== ply) { await remove(`/jobs/${job.job}`).catch(() => undefined); return; }
    one.job = job.job;
    one.state = job.state;
    const away = watch(`job/${job.job}`, (message) => {
      if (one.job !== job.job) return;
      if (message.kind === "line" && message.ply === this.view!.ply) {
        one.thought = message as Thought;
        if (one === this.engines[0]) this.board.line(message.line);
      } else if (message.kind === "state") one.state = message.state + (message.reason ? `: ${message.reason}` : "");
      this.drawEngine();
    }, 0);
    one.stop = () => { away(); one.stop = () => undefined; };
  }

  private async advise(): Promise<void> {
    const job = await attempt(() => post("/jobs", { kind: "hint", table: this.id, seat: this.seat, seconds: 1 }));
    if (!job) return;
    say("thinking …");
    await this.until(job.job, (line) => {
      this.board.line(line.line.slice(0, 1));
      say(`hint: ${line.move} (${worth(line.value, line.unit, line.decided)})`);
    });
  }

  // Read the lines of a job until it ends.
  private async until(job: string, line: (one: Json) => void, kind = "line"): Promise<void> {
    const answer = await fetch(`/api/v1/jobs/${job}/lines`, { credentials: "same-origin" });
    const reader = answer.body!.pipeThrough(new TextDecoderStream()).getReader();
    let rest = "";
    for (;;) {
      const { value, done } = await reader.read();
      if (done || this.dead) return;
      const parts = (rest + value).split("\n");
      rest = parts.pop()!;
      for (const one of parts.map((text) => JSON.parse(text))) {
        if (one.kind === kind) line(one);
        else if (one.kind === "progress") say(`analysing the game: ${one.done} of ${one.of} positions`);
        else if (one.kind === "state" && one.state === "failed") say(one.reason, "bad");
      }
    }
  }

  private async judge(): Promise<void> {
    const job = await attempt(() => post("/jobs", { kind: "game", table: this.id }));
    if (!job) return;
    await this.until(job.job, (found) => { this.curve = found; this.draw(); say(`analysed: ${found.moves.filter((one: Json) => one.verdict).length} mistakes`); }, "game");
  }

  private async tree(): Promise<void> {
    const job = await attempt(() => post("/jobs", { kind: "tree", table: this.id, ply: this.view!.ply }));
    if (job) go(`/t/${this.id}/tree/${job.job}`);
  }

  // Put a line of the analysis on the board, as far as a move of it.
  private follow(line: Move[]): void {
    this.board.line(line.slice(-1));
    say(line.map((move) => move.move).join(" "));
  }
}

function lineSvg(points: string, wide: number, high: number, here: number): SVGElement {
  const NS = "http://www.w3.org/2000/svg";
  const group = document.createElementNS(NS, "g");
  const add = (kind: string, facts: Record<string, string>): void => {
    const one = document.createElementNS(NS, kind);
    for (const [key, value] of Object.entries(facts)) one.setAttribute(key, value);
    group.append(one);
  };
  add("line", { x1: "0", x2: String(wide), y1: String(high / 2), y2: String(high / 2), class: "zero" });
  add("polyline", { points, class: "values" });
  add("line", { x1: String(here), x2: String(here), y1: "0", y2: String(high), class: "here" });
  return group;
}

export async function table(host: HTMLElement, address: URL, parts: string[]): Promise<Leave> {
  const wanted = (name: string): number | null => (address.searchParams.get(name) === null ? null : Number(address.searchParams.get(name)));
  return new TableScreen(host, parts[0]!, wanted("seat")).open(wanted("ply"));
}

