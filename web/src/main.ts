// Addresses, and which screen each of them is.

import { get } from "./api";
import { home, fresh } from "./home";
import { html, type Leave, onGo, recall, remember, render, say, type Screen } from "./page";
import { table } from "./play";

const later = (load: () => Promise<Record<string, unknown>>, name: string): Screen => async (host, address, parts) => ((await load())[name] as Screen)(host, address, parts);
const events = (): Promise<Record<string, unknown>> => import("./events");
const runs = (): Promise<Record<string, unknown>> => import("./runs");
const derivations = (): Promise<Record<string, unknown>> => import("./derivations");
const editors = (): Promise<Record<string, unknown>> => import("./language");
const SCREENS: [RegExp, Screen][] = [
  [/^\/$/, home], [/^\/new$/, fresh], [/^\/t\/([^/]+)$/, table], [/^\/t\/([^/]+)\/tree\/([^/]+)$/, later(() => import("./tree"), "tree")],
  [/^\/t\/([^/]+)\/levels$/, later(() => import("./levels"), "levels")],
  [/^\/e$/, later(events, "events")], [/^\/e\/([^/]+)$/, later(events, "event")], [/^\/e\/([^/]+)\/(\d+)$/, later(events, "replay")],
  [/^\/r$/, later(runs, "runs")], [/^\/r\/compare$/, later(runs, "compare")], [/^\/r\/([^/]+)$/, later(runs, "run")], [/^\/r\/([^/]+)\/g\/(\d+)\/(\d+)$/, later(runs, "individual")],
  [/^\/d$/, later(derivations, "derivations")], [/^\/d\/([^/]+)$/, later(derivations, "derivation")],
  [/^\/l$/, later(editors, "languages")], [/^\/l\/([^/]+)$/, later(editors, "language")], [/^\/g\/([^/]+)$/, later(editors, "gameFile")],
  [/^\/j$/, later(editors, "jobs")], [/^\/p$/, later(editors, "published")], [/^\/p\/([^/]+)$/, later(editors, "published")],
];
const PLACES: [string, string][] = [["/", "Play"], ["/e", "Events"], ["/r", "Runs"], ["/d", "Derivations"], ["/l", "Language"], ["/p", "Published"], ["/j", "Jobs"]];

let leave: Leave | void;
let turn = 0;

async function open(): Promise<void> {
  const address = new URL(location.href), mine = ++turn;
  leave?.();
  leave = undefined;
  header();
  const old = document.querySelector("main")!, host = document.createElement("main");
  host.id = "main";
  host.tabIndex = -1;
  for (const [pattern, screen] of SCREENS) {
    const found = pattern.exec(address.pathname);
    if (!found) continue;
    host.setAttribute("aria-busy", "true");
    old.replaceWith(host);
    const done = await screen(host, address, found.slice(1).map(decodeURIComponent));
    host.setAttribute("aria-busy", "false");
    if (mine === turn) leave = done;
    else done?.();
    return;
  }
  render(html`<h1>There is no such page</h1><p><a href="/">to the games</a></p>`, host);
  old.replaceWith(host);
}

function theme(next?: string): string {
  const now = next ?? recall("theme") ?? "auto";
  if (next) remember("theme", next);
  document.documentElement.dataset.theme = now;
  return now;
}

function header(): void {
  const here = location.pathname;
  const now = theme();
  const is = (path: string): boolean => (path === "/" ? here === "/" || here.startsWith("/t/") || here.startsWith("/new") || here.startsWith("/g/") : here.startsWith(path));
  const cycle = (): void => { theme(now === "auto" ? "dark" : now === "dark" ? "light" : "auto"); header(); };
  const guest = document.body.dataset.guest === "1";
  render(html`<a class="skip" href="#main">to the content</a><a href="/" class="brand">Ludwin</a>
    <nav aria-label="Places" ?hidden=${guest}>${PLACES.map(([path, words]) => html`<a href=${path} aria-current=${is(path) ? "page" : "false"}>${words}</a>`)}</nav>
    <button class="small" @click=${cycle} aria-label="colours: ${now}">${now === "auto" ? "◐" : now === "dark" ? "●" : "○"}</button>`, document.querySelector("header")!);
}

onGo((path, replace = false) => {
  history[replace ? "replaceState" : "pushState"](null, "", path);
  void open();
});
document.addEventListener("click", (event) => {
  const link = (event.target as Element).closest?.("a");
  if (!link || link.hasAttribute("download") || link.origin !== location.origin || event.ctrlKey || event.metaKey || event.shiftKey || event.button) return;
  if (link.pathname.startsWith("/api/") || link.getAttribute("href")?.startsWith("#")) return;
  event.preventDefault();
  say("");
  history.pushState(null, "", link.pathname + link.search);
  void open();
});
window.addEventListener("popstate", () => void open());
window.addEventListener("pagehide", () => { leave?.(); leave = undefined; }); // whoever goes away wants no more analysis
window.addEventListener("pageshow", (event) => { if (event.persisted) void open(); });
void (async () => {
  const about = await get("/about").catch(() => null);
  if (about?.guest) document.body.dataset.guest = "1";
  await open();
})();
