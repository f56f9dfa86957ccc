// What all screens share: templates, addresses, the status line, drawings that are cleaned once more.

import { html, nothing, render, svg, type TemplateResult } from "lit-html";
import { Failure, watch } from "./api";

export { html, nothing, render, svg };
export type { TemplateResult };

export type Leave = () => void;
export type Screen = (host: HTMLElement, address: URL, parts: string[]) => Promise<Leave | void> | Leave | void;

let going: (path: string, replace?: boolean) => void = () => undefined;
export const onGo = (work: (path: string, replace?: boolean) => void): void => { going = work; };
export const go = (path: string, replace = false): void => going(path, replace);
export const link = (path: string, words: unknown, kind = ""): TemplateResult => html`<a href=${path} class=${kind}>${words}</a>`;

export function say(words: string, kind = ""): void {
  const line = document.getElementById("status");
  if (!line) return;
  line.textContent = words;
  line.className = kind;
}

export async function attempt<T>(work: () => Promise<T>): Promise<T | undefined> {
  try {
    return await work();
  } catch (error) {
    say(error instanceof Failure ? place(error) : String(error), "bad");
    return undefined;
  }
}

const place = (failure: Failure): string =>
  failure.error.file && failure.error.line ? `${failure.error.file}:${failure.error.line}: ${failure.message}` : failure.message;

export function title(words: string): void {
  document.title = words ? `${words} · Ludwin` : "Ludwin";
}

export const number = (value: number | null | undefined, digits = 3): string =>
  value === null || value === undefined ? "" : Number.isInteger(value) ? String(value) : value.toFixed(digits);
export const count = (value: number): string =>
  value >= 1e6 ? `${(value / 1e6).toFixed(1)}M` : value >= 1e4 ? `${Math.round(value / 1e3)}k` : String(value);
export const signed = (value: number | null): string => (value === null ? "?" : (value > 0 ? "+" : "") + value.toFixed(2));

export const worth = (value: number | null, unit: string, decided: boolean): string =>
  decided ? `= ${number(value)}` : unit === "payoff" ? number(value) : signed(value);

const ELEMENTS = new Set(
  ("svg g path rect circle ellipse line polyline polygon text tspan title desc defs linearGradient radialGradient stop " +
    "clipPath use").split(" "),
);

// A drawing of a game, as elements of this document: nothing in it runs, refers elsewhere, or has a style of its own.
export function drawing(text: string): SVGSVGElement | null {
  const parsed = new DOMParser().parseFromString(text, "image/svg+xml");
  const root = parsed.documentElement;
  if (root.localName !== "svg" || root.namespaceURI !== "http://www.w3.org/2000/svg") return null;
  for (const one of [...root.querySelectorAll("*")]) {
    if (!ELEMENTS.has(one.localName) || one.namespaceURI !== root.namespaceURI) one.remove();
  }
  for (const one of [root, ...root.querySelectorAll("*")]) {
    for (const attribute of [...one.attributes]) {
      const name = attribute.name.toLowerCase();
      const away = name.endsWith("href") && !attribute.value.startsWith("#");
      if (name.startsWith("on") || name === "style" || away || /url\(\s*(?!['"]?#)/i.test(attribute.value)) one.removeAttribute(attribute.name);
    }
  }
  return document.importNode(root, true) as unknown as SVGSVGElement;
}

export function show(host: Element | null | undefined, text: string): SVGSVGElement | null {
  if (!host) return null;
  const made = text ? drawing(text) : null;
  host.replaceChildren(...(made ? [made] : []));
  return made;
}

export function remember(key: string, value: string): void {
  try { localStorage.setItem(`ludwin-${key}`, value); } catch { /* a browser that keeps nothing */ }
}
export function recall(key: string): string | null {
  try { return localStorage.getItem(`ludwin-${key}`); } catch { return null; }
}

export function table(columns: string[], rows: unknown[][], right: number[] = []): TemplateResult {
  return html`<div class="wide" tabindex="0" role="region" aria-label="table"><table>
    <thead><tr>${columns.map((one, k) => html`<th scope="col" class=${right.includes(k) ? "right" : ""}>${one}</th>`)}</tr></thead>
    <tbody>${rows.map((row) => html`<tr>${row.map((cell, k) => html`<td class=${right.includes(k) ? "right" : ""}>${cell}</td>`)}</tr>`)}</tbody>
  </table></div>`;
}

// Look again when a job has changed, and now and then: files may be written by anybody.
export function live(load: () => Promise<void>): Leave {
  const timer = window.setInterval(() => void load(), 3000), unwatch = watch("jobs", () => void load());
  return () => { clearInterval(timer); unwatch(); };
}
