// Walks of people through the page, in a real Chromium: node tests/walks.mjs '{"walk": "player", "url": …, "shots": …}'
// Prints one JSON object: what was seen. An error of the page, or a request to another host, fails the walk.
import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { chromium } from "playwright-core";

const given = JSON.parse(process.argv[2]);
const here = dirname(fileURLToPath(import.meta.url));
const PLAIN = 15000;
const problems = [], facts = {};

const browser = await chromium.launch({ executablePath: given.chromium ?? "/usr/bin/chromium", args: ["--no-sandbox", "--disable-gpu"] });

async function visitor({ phone = false, dark = false, url = given.url, quiet = false } = {}) {
  const context = await browser.newContext({ ignoreHTTPSErrors: given.ownCertificate ?? false, viewport: phone ? { width: 390, height: 844 } : { width: 1280, height: 900 }, colorScheme: dark ? "dark" : "light", hasTouch: phone, isMobile: phone });
  context.setDefaultTimeout(given.patience ?? PLAIN);
  const page = await context.newPage();
  const host = new URL(given.url).host;
  page.on("request", (request) => { const at = new URL(request.url()); if (at.host !== host && at.protocol !== "data:") problems.push(`a request to ${at.host}`); });
  page.on("pageerror", (error) => problems.push(`error: ${error}`));
  page.on("console", (message) => { if (message.type() === "error" && !quiet) problems.push(`console: ${message.text()}`); });
  if (url) await page.goto(url);
  return page;
}

const at = (page, path) => page.goto(new URL(path, given.url).href);
const shot = async (page, name) => { if (given.shots) await page.screenshot({ path: join(given.shots, `${name}.png`) }); };
const status = (page) => page.locator("#status").textContent();
// Waits until the status line says such words, and returns the line of that moment: the next one may come at once.
const said = async (page, words) => (await page.waitForFunction((text) => { const line = document.getElementById("status").textContent; return new RegExp(text).test(line) && line; }, words, { timeout: given.patience ?? PLAIN })).jsonValue();
const place = (page, name) => page.locator(`.board [data-at="${name}"]`).first();
const sideways = (page) => page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
async function click(page, name) {
  let box = null;
  for (let k = 0; k < 20 && !box; k++) box = await place(page, name).boundingBox().catch(() => null) ?? (await page.waitForTimeout(50), null);
  await page.mouse.click(box.x + box.width / 2, box.y + box.height / 2);
}
async function drag(page, from, to) {
  const [a, b] = [await place(page, from).boundingBox(), await place(page, to).boundingBox()];
  await page.mouse.move(a.x + a.width / 2, a.y + a.height / 2);
  await page.mouse.down();
  await page.mouse.move(b.x + b.width / 2, b.y + b.height / 2, { steps: 4 });
  await page.mouse.up();
}
const ask = (page, path, body) => page.evaluate(async ([to, what]) => (await fetch("/api/v1" + to, what ? { method: "POST", body: JSON.stringify(what), headers: { "content-type": "application/json" } } : {})).json(), [path, body]);
const open = async (page, body) => { const made = await ask(page, "/tables", body); if (!made.table) throw new Error(JSON.stringify(made)); await at(page, `/t/${made.table}`); await page.waitForSelector(".board svg"); return made.table; };
const plies = async (page, least) => page.waitForFunction((n) => Number(/ply (\d+)\//.exec(document.querySelector(".steps")?.textContent ?? "")?.[1] ?? -1) >= n, least, { timeout: given.patience ?? PLAIN });
// The screen is there, and every answer that it has asked for; then two frames, so that it is drawn.
async function whole(page) {
  await page.waitForFunction(() => document.querySelector("main")?.getAttribute("aria-busy") === "false" && document.documentElement.dataset.waiting === "0" && !/looking around/.test(document.querySelector("main").textContent), null, { timeout: given.patience ?? PLAIN });
  await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));
}
async function axe(page) {
  // Through the protocol rather than as a script of the page, whose policy allows none but its own.
  await page.evaluate(readFileSync(join(here, "..", "node_modules", "axe-core", "axe.min.js"), "utf8"));
  const found = await page.evaluate(async () => (await axe.run(document, { runOnly: ["wcag2a", "wcag2aa", "wcag22aa"] })).violations);
  return found.filter((one) => ["serious", "critical"].includes(one.impact)).map((one) => `${one.id}: ${one.nodes.slice(0, 3).map((n) => n.target.join(" ")).join(", ")}`);
}

const spelt = (path) => path.split("?")[0].replace(/[0-9a-f]{12}/g, "x").replace(/[^a-z]+/g, "-").replace(/^-|-$/g, "") || "home";
// Targets below 24 by 24 pixels whose neighbours are near: axe asks some of this, and leaves out what it takes for running text.
const small = (page) => page.evaluate(() => {
  const seen = [...document.querySelectorAll("main a, main button, main summary, main input, main select, main textarea, header a, header button, main [role=button]")]
    .map((one) => [one, one.getBoundingClientRect()]).filter(([one, box]) => box.width && box.height && !one.disabled && !one.closest("svg"));
  return seen.filter(([one, box]) => (box.width < 23.9 || box.height < 23.9) && !one.classList.contains("skip")).map(([one, box]) => `small: ${one.tagName} ${one.textContent.trim().slice(0, 20)} ${box.width.toFixed(0)}x${box.height.toFixed(0)}`).slice(0, 5);
});

const walks = {
  // Tic-tac-toe by clicks against random, to its end; undo; hint.
  async clicks() {
    const page = await visitor();
    await at(page, "/");
    await page.locator("section:has(h2:text-is('Games')) a", { hasText: "tic-tac-toe" }).click();
    await page.getByLabel("player 1").selectOption("random");
    await page.getByRole("button", { name: "Play", exact: true }).click();
    await page.waitForSelector(".board svg");
    await click(page, "b2");
    await plies(page, 2);
    await page.getByRole("button", { name: "Undo" }).click();
    await page.waitForFunction(() => /ply 0\/0/.test(document.querySelector(".steps").textContent));
    facts.dots = await page.locator(".marks .mark-next").count();
    await click(page, "b2");
    await plies(page, 2);
    for (let k = 0; k < 5; k++) {
      const view = await ask(page, `/tables/${page.url().split("/t/")[1]}`);
      if (view.over) break;
      await page.getByRole("button", { name: "Hint" }).click();
      facts.hint = await said(page, "hint: ");
      await click(page, view.moves[0].path[0]);
      await page.waitForFunction((n) => { const found = /ply (\d+)\//.exec(document.querySelector(".steps").textContent); return Number(found[1]) > n + 1 || document.querySelector(".result"); }, view.ply);
      if (!(await page.locator(".result").count())) facts.dots = Math.min(facts.dots, await page.locator(".marks .mark-next").count());
    }
    await page.waitForSelector(".result");
    facts.result = await page.locator(".result").textContent();
    await shot(page, "tic-tac-toe");
  },

  // Draughts by drag; the whole game against `hard` by clicks, then the analysis of it.
  async player() {
    const page = await visitor();
    const id = await open(page, { game: "draughts", seats: ["human", given.level ?? "hard"], seed: 3 });
    let view = await ask(page, `/tables/${id}`);
    await drag(page, view.moves[0].path[0], view.moves[0].path.at(-1));
    await plies(page, 2);
    facts.dragged = true;
    // Only own moves are counted: however long the other thinks, the same game is played to its end.
    for (let k = 0; k < 200;) {
      view = await ask(page, `/tables/${id}`);
      if (view.over) break;
      if (view.thinking || view.seats[view.mover] !== "human") { await page.waitForTimeout(60); continue; }
      k++;
      await page.waitForFunction((n) => Number(/ply (\d+)\//.exec(document.querySelector(".steps").textContent)[1]) === n, view.ply);
      const move = view.moves[(k * 7) % view.moves.length];
      for (const name of move.path) await click(page, name);
      const menu = page.locator("#menu [role=menuitem]").filter({ hasText: move.move }).first();
      if (await page.locator("#menu").isVisible()) await menu.click();
      await page.waitForFunction((n) => Number(/ply \d+\/(\d+)/.exec(document.querySelector(".steps").textContent)[1]) > n, view.ply);
    }
    await page.waitForSelector(".result");
    facts.result = await page.locator(".result").textContent();
    facts.plies = (await ask(page, `/tables/${id}`)).plies;
    await page.getByRole("button", { name: "Analyse the whole game" }).click();
    await page.waitForSelector(".curve", { timeout: 120000 });
    facts.curve = await page.locator(".curve figcaption").textContent();
    await page.locator(".record button").nth(4).click();
    await said(page, "played");
    await shot(page, "draughts-analysed");
  },

  // Carcassonne: a cell with several moves opens a menu with previews.
  async menu() {
    const page = await visitor();
    const id = await open(page, { game: "carcassonne", seats: ["human", "human"], seed: 5 });
    let found = false;
    for (let k = 0; k < 12 && !found; k++) {
      const view = await ask(page, `/tables/${id}`);
      const by = {};
      for (const move of view.moves) (by[move.path?.join(" ")] ??= []).push(move);
      const several = Object.values(by).find((one) => one.length > 1 && one[0].path);
      const target = (several ?? [view.moves[0]])[0];
      for (const name of target.path) await click(page, name);
      if (several) {
        await page.waitForSelector("#menu [role=menuitem]");
        await page.locator("#menu [role=menuitem]").nth(1).hover();
        await page.waitForSelector("#preview svg");
        await shot(page, "carcassonne-menu");
        facts.choices = await page.locator("#menu [role=menuitem]").count() - 1;
        await page.locator("#menu [role=menuitem]").first().click();
        found = true;
      }
      await plies(page, view.ply + 1);
    }
    facts.found = found;
  },

  // A whole game with the keyboard alone.
  async keyboard() {
    const page = await visitor();
    const id = await open(page, { game: "tic-tac-toe", seats: ["human", "human"], seed: 1 });
    for (let ply = 0; ply < 9; ply++) {
      const view = await ask(page, `/tables/${id}`);
      if (view.over) break;
      await page.waitForFunction((n) => Number(/ply (\d+)\//.exec(document.querySelector(".steps").textContent)[1]) === n, ply);
      for (let tabs = 0; tabs < 60; tabs++) {
        await page.keyboard.press("Tab");
        if (await page.evaluate(() => document.activeElement.closest(".board") !== null)) break;
      }
      if (ply % 2) await page.keyboard.press("ArrowRight");
      await page.keyboard.press("Enter");
      await page.waitForFunction((n) => Number(/ply \d+\/(\d+)/.exec(document.querySelector(".steps").textContent)[1]) > n, ply);
      await page.evaluate(() => document.activeElement.blur());
    }
    await page.waitForSelector(".result");
    facts.result = await page.locator(".result").textContent();
    await page.keyboard.press("ArrowLeft");
    await said(page, "to move");
    facts.back = await page.locator(".steps span").first().textContent();
  },

  // Analysis on, stopped, a move, on again: lines follow the position.
  async analysis() {
    const page = await visitor();
    const id = await open(page, { game: "draughts", seats: ["human", "human"], seed: 1 });
    await page.getByRole("button", { name: "Analyse", exact: true }).click();
    await page.waitForFunction(() => /depth ([5-9]|1\d)/.test(document.querySelector(".facts")?.textContent ?? ""), null, { timeout: 60000 });
    facts.depth = await page.locator(".facts").textContent();
    facts.lines = await page.locator(".pvs li").count();
    facts.arrows = await page.locator(".marks .arrow").count();
    await shot(page, "analysis");
    await page.getByRole("button", { name: "Stop" }).click();
    await page.waitForFunction(async () => (await (await fetch("/api/v1/jobs")).json()).jobs.every((one) => one.state === "cancelled" || one.state === "done"));
    const view = await ask(page, `/tables/${id}`);
    for (const name of view.moves[0].path) await click(page, name);
    await plies(page, 1);
    await page.getByRole("button", { name: "Analyse", exact: true }).click();
    await page.waitForFunction(() => /depth \d/.test(document.querySelector(".facts")?.textContent ?? ""), null, { timeout: 60000 });
    facts.after = await page.locator(".facts").textContent();
    await page.getByRole("button", { name: "Search tree" }).click();
    await page.waitForSelector(".tree .node", { timeout: 60000 });
    facts.nodes = await page.locator(".tree .node").count();
    await shot(page, "tree");
    await page.locator(".tree .node circle").nth(1).click({ force: true });
    await said(page, "nodes");
  },

  // An event is watched, filtered, a game replayed for twenty plies, and analysed from there.
  async experimenter() {
    const page = await visitor();
    await at(page, "/e");
    await page.getByRole("link", { name: given.event }).click();
    await page.waitForSelector("table");
    facts.rows = await page.locator("table").last().locator("tbody tr").count();
    await shot(page, "event");
    await page.getByLabel("ending").selectOption("rules");
    await page.getByRole("link", { name: /^#/ }).first().click();
    await page.waitForSelector(".board svg");
    for (let k = 1; k <= 20; k++) {
      const before = await page.locator(".steps span").first().textContent();
      const [, now, all] = /ply (\d+)\/(\d+)/.exec(before);
      if (now === all) break;
      await page.keyboard.press("ArrowRight");
      await page.waitForFunction((text) => document.querySelector(".steps span").textContent !== text, before);
    }
    facts.replayed = await page.locator(".steps span").first().textContent();
    await page.getByRole("button", { name: "back", exact: true }).click();
    await said(page, "to move");
    await page.getByRole("button", { name: "Analyse from here" }).click();
    await page.waitForURL(/\/t\//);
    await page.getByRole("button", { name: "Analyse", exact: true }).click();
    await page.waitForSelector(".pvs li", { timeout: 60000 });
    facts.line = await page.locator(".pvs li").first().textContent();
  },

  // A tournament is begun on the page and watched while it plays.
  async tournament() {
    const page = await visitor();
    await at(page, "/e");
    await page.getByText("Begin a match or a tournament").click();
    await page.getByLabel("games a pair").fill("10");
    await page.getByRole("button", { name: "Begin", exact: true }).click();
    await page.waitForURL(/\/j$/);
    await at(page, "/e");
    const link = page.getByRole("link", { name: /tournament.*games.jsonl/ }).first();
    await link.click();  // it comes into the list by itself
    await page.waitForFunction(() => / 30 games/.test(document.querySelector("main p")?.textContent ?? ""), null, { timeout: given.patience ?? PLAIN });
    facts.standing = await page.locator("table").first().textContent();
    facts.first = await page.locator("table").last().locator("tbody tr").count();
  },

  // A run is started, watched live, and its champion looked at.
  async evolver() {
    const page = await visitor();
    await at(page, "/r");
    await page.getByText("Evolve something").click();
    await page.getByLabel("experiment").fill(given.experiment ?? "onemax");
    await page.getByLabel("seed").fill("7");
    await page.getByRole("button", { name: "Evolve", exact: true }).click();
    await page.waitForURL(/\/j$/);
    let run = null;
    for (const until = Date.now() + (given.patience ?? PLAIN); !run && Date.now() < until; await page.waitForTimeout(100)) run = (await ask(page, "/runs")).runs.find((one) => one.seed === 7);
    await at(page, `/r/${run.id}`);
    await page.waitForSelector(".plot canvas");
    facts.first = run.generation;
    await page.waitForSelector("text=finished", { timeout: given.long ?? 90000 });
    await page.waitForSelector("text=Champion", { timeout: 30000 });
    facts.plots = await page.locator(".plot").count();
    await shot(page, "run");
    const play = page.getByRole("button", { name: "Play it" });
    if (await play.count()) {
      await play.click();
      await page.waitForURL(/\/t\//);
      const view = await ask(page, `/tables/${page.url().split("/t/")[1]}`);
      facts.seats = view.seats.length;
      for (const name of view.moves[0].path) await click(page, name);
      await plies(page, 2);
      facts.played = true;
    }
    if (given.champion) {
      await at(page, `/r/${given.champion}`);
      await page.getByRole("button", { name: "Play it" }).click({ timeout: 30000 });
      await page.waitForURL(/\/t\//);
      const view = await ask(page, `/tables/${page.url().split("/t/")[1]}`);
      for (const name of view.moves[0].path) await click(page, name);
      await plies(page, 2);
      facts.played = true;
    }
  },

  // A derivation, stepped to its end.
  async reader() {
    const page = await visitor();
    await at(page, "/d");
    await page.getByRole("link", { name: given.derivation }).click();
    await page.waitForSelector("#forward");
    const all = Number(/of (\d+)/.exec(await page.locator("b[aria-live]").textContent())[1]);
    for (let k = 1; k <= all; k++) {
      await page.locator("#forward").click();
      if (k === Math.floor(all / 2)) await shot(page, "derivation");
    }
    facts.steps = all;
    facts.end = await page.locator("b[aria-live]").textContent();
    facts.program = await page.locator("pre.code").last().textContent();
    facts.tree = await page.locator("#tree svg").count();
  },

  // A student: their own file, agreed to, an error marked, mended, played.
  async student() {
    const page = await visitor({ quiet: true });
    await at(page, "/");
    await page.getByRole("link", { name: given.file }).first().click();
    await page.getByRole("button", { name: /I have seen it/ }).click();
    await page.waitForSelector("text=player 0");
    const file = (await ask(page, "/games")).games.find((one) => one.name === given.file).game;
    await at(page, `/g/${file}`);
    const area = page.locator("textarea");
    const text = await area.inputValue();
    await area.fill(text.replace("def payoff(s, p):", "def payoff(s, p):\n    return s.nothing"));
    await page.getByRole("button", { name: "Save and check" }).click();
    await page.waitForSelector("main p.bad", { timeout: 60000 });
    facts.marked = await page.locator("main p.bad").textContent();
    facts.arrow = /◀/.test(await page.locator(".numbers").textContent());
    await shot(page, "editor");
    await area.fill(text);
    await page.getByRole("button", { name: "Save and check" }).click();
    await page.waitForSelector("main p.good", { timeout: 60000 });
    await page.getByRole("link", { name: "Play", exact: true }).last().click();
    await page.getByLabel("player 1").first().selectOption("easy");
    await page.getByRole("button", { name: "Play", exact: true }).click();
    await page.waitForSelector(".board svg", { timeout: 60000 });
    const view = await ask(page, `/tables/${page.url().split("/t/")[1]}`);
    facts.kind = view.board.kind;
    for (const name of view.moves[0].path) await click(page, name);
    await plies(page, 2);
    await shot(page, "own-game");
  },

  // The language editor: a mistake is told with its line, twenty programs are shown.
  async language() {
    const page = await visitor();
    await at(page, "/l");
    await page.getByRole("link", { name: "draughts", exact: true }).click();
    await page.waitForSelector(".programs li", { timeout: 60000 });
    facts.programs = await page.locator(".programs li").count();
    facts.value = await page.locator(".programs li b").first().textContent();
    const area = page.locator("textarea"), text = await area.inputValue();
    const began = Date.now();
    await area.fill(text.replace(/rule = "/, 'rule = "1 +* '));
    await page.waitForSelector("main p.bad", { timeout: 20000 });
    facts.milliseconds = Date.now() - began;
    facts.told = await page.locator("main p.bad").textContent();
    await shot(page, "language");
  },

  // Two browsers play each other through one server; the guest sees their own seat only.
  async two() {
    const page = await visitor();
    const id = await open(page, { game: given.game ?? "tic-tac-toe", seats: ["human", "human"], seed: 4 });
    const invitation = await ask(page, `/tables/${id}/invite`, { seat: 1 });
    const guest = await visitor({ url: new URL(invitation.path, given.url).href, quiet: true });
    await guest.waitForSelector(".board svg");
    await click(page, "a1");
    await plies(guest, 1);
    await click(guest, "b2");
    await plies(page, 2);
    facts.places = await guest.locator("nav a:visible").count();
    facts.other = await guest.evaluate(async () => (await fetch("/api/v1/tables")).status);
    await guest.reload();
    await plies(guest, 2);
    await click(guest, "c3");  // it is not their turn: the page says nothing to the server, and the server would refuse
    facts.refused = await guest.evaluate(async (path) => (await fetch(path, { method: "POST", body: JSON.stringify({ ply: 2, move: "c3" }), headers: { "content-type": "application/json" } })).status, `/api/v1/tables/${id}/moves`);
    facts.ply = (await ask(page, `/tables/${id}`)).ply;
  },

  // Every screen with all that opens on it opened: no serious finding of axe, no sideways scroll; wide and light, narrow and dark.
  async screens() {
    for (const [name, options] of Object.entries({ wide: {}, phone: { phone: true, dark: true }, ...(given.all ? { "wide-dark": { dark: true }, "phone-light": { phone: true } } : {}) })) {
      const page = await visitor(options);
      const id = await open(page, { game: "draughts", seats: ["human", "human"], seed: 1, moves: ["11-15", "22-18", "15x22"] });
      const found = {};
      for (const path of ["/", "/new?game=chess", `/t/${id}`, "/e", "/r", "/d", "/l", "/p", "/j", ...(given.paths ?? [])]) {
        await at(page, path.replace("TABLE", id));
        await whole(page);
        const shut = await page.locator("main details:not([open])").count();
        if (shut) await shot(page, `${name}-${spelt(path)}-shut`);
        await page.evaluate(() => { for (const one of document.querySelectorAll("main details")) one.open = true; });
        await whole(page);
        const scroll = await sideways(page), faults = [...await axe(page), ...await small(page)];
        await shot(page, `${name}-${spelt(path)}`);
        if (scroll > 0 || faults.length) found[path] = [scroll, ...faults];
      }
      facts[name] = found;
    }
  },

  // Alpha-beta, depth by depth: every move of the position with its value; one of them opens into the answers to it.
  async levels() {
    const page = await visitor();
    await open(page, { game: "draughts", seats: ["human", "human"], seed: 1 });
    await page.getByRole("button", { name: "Levels" }).click();
    await page.waitForURL(/levels/);
    const depth = (level, least) => page.waitForFunction(([k, n]) => Number(/depth (\d+)/.exec(document.querySelectorAll(".level")[k]?.textContent ?? "")?.[1] ?? 0) >= n, [level, least], { timeout: given.patience ?? PLAIN });
    await depth(0, 1);
    await depth(0, 4);
    facts.moves = await page.locator(".level tbody tr").count();
    await page.locator(".level tbody button").first().click();
    await depth(1, 3);
    facts.answers = await page.locator(".level").nth(1).locator("tbody tr").count();
    facts.who = await page.locator(".level").nth(1).locator("p").textContent();
    await shot(page, "levels");
    await page.locator(".level").nth(1).getByRole("button", { name: "open the position" }).first().click();
    await plies(page, 2);
  },

  // A game for three: a bar for each player, with its number in words.
  async three() {
    const page = await visitor();
    await open(page, { game: "li-nim", seats: ["human", "human", "human"], seed: 1 });
    await page.getByRole("button", { name: "Analyse", exact: true }).click();
    await page.waitForFunction(() => document.querySelectorAll(".key").length === 3, null, { timeout: given.patience ?? PLAIN });
    facts.bars = await page.locator(".bar .bar-part").count();
    facts.words = await page.locator("#bar").getAttribute("aria-label");
    facts.heights = await page.locator(".bar .bar-part").evaluateAll((all) => all.map((one) => one.style.height));
    await shot(page, "three");
    await page.getByRole("button", { name: "Stop" }).click();
  },

  // A reload in the middle, a restarted server: the address still works (the test restarts it between two calls).
  async address() {
    const page = await visitor();
    if (given.table) {
      await at(page, `/t/${given.table}?ply=1`);
      await page.waitForSelector(".board svg");
      facts.where = await page.locator(".steps span").first().textContent();
    } else {
      const id = await open(page, { game: "reversi", seats: ["human", "easy"], seed: 2 });
      const view = await ask(page, `/tables/${id}`);
      await click(page, view.moves[0].path[0]);
      await plies(page, 2);
      await page.reload();
      await plies(page, 2);
      facts.table = id;
    }
  },

  // How long things take.
  async times() {
    const page = await visitor();
    await at(page, "/new?game=draughts");
    await page.waitForSelector("form");
    facts.paint = await page.evaluate(() => performance.getEntriesByName("first-contentful-paint")[0]?.startTime);
    const id = await open(page, { game: "draughts", seats: ["human", "human"], seed: 1 });
    const times = [];
    for (let k = 0; k < 20; k++) {
      const view = await ask(page, `/tables/${id}`);
      if (view.over) break;
      const before = await page.evaluate(() => document.querySelector(".steps span").textContent);
      times.push(await page.evaluate(([text, code]) => new Promise((done) => {
        const began = performance.now();
        const look = () => (document.querySelector(".steps span").textContent !== text ? done(performance.now() - began) : requestAnimationFrame(look));
        [...document.querySelectorAll(".moves button")].find((one) => one.textContent.trim() === code).click();
        look();
      }), [before, view.moves[0].move]));
    }
    facts.moves = times;
  },
};

try {
  await walks[given.walk]();
} catch (error) {
  problems.push(String(error.stack ?? error).slice(0, 1500));
  if (given.shots) for (const context of browser.contexts()) for (const [k, page] of context.pages().entries()) { await shot(page, `failed-${given.walk}-${k}`).catch(() => {}); problems.push(`status: ${await status(page).catch(() => "?")}`); }
}
await browser.close();
console.log(JSON.stringify({ facts, problems }));
