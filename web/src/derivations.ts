// Derivations, step by step: clauses that go and come, the reason, and the tree of which the result sees less.

import { type Json, get } from "./api";
import { attempt, html, type Leave, nothing, render, show, table, title } from "./page";

export async function derivations(host: HTMLElement): Promise<void> {
  title("derivations");
  const found = await attempt(() => get("/derivations"));
  if (!found) return;
  render(html`<h1>Derivations</h1>${found.derivations.length ? table(["file", "folder"], found.derivations.map((one: Json) => [html`<a href="/d/${one.id}">${one.name}</a>`, one.folder]))
    : html`<p>None in the folders; <code>ludwin discover alpha-beta --out ab.json</code> makes one.</p>`}`, host);
}

export async function derivation(host: HTMLElement, address: URL, parts: string[]): Promise<Leave | void> {
  const found = await attempt(() => get(`/derivations/${parts[0]}`));
  if (!found) return;
  title(found.problem);
  const programs: string[][] = [found.seed];
  for (const step of found.steps as Json[]) {
    const next = [...programs[programs.length - 1]!];
    for (const gone of step.removed as string[]) { const at = next.indexOf(gone); if (at >= 0) next.splice(at, 1); }
    programs.push([...next, ...(step.added as string[]).filter((one) => !next.includes(one))]);
  }
  let at = Math.min(Number(address.searchParams.get("step") ?? "0"), found.steps.length);
  const to = (step: number): void => {
    at = Math.min(Math.max(step, 0), found.steps.length);
    history.replaceState(null, "", `${location.pathname}?step=${at}`);
    draw();
  };
  const draw = (): void => {
    const step: Json = at ? found.steps[at - 1] : null, before = at ? programs[at - 1]! : [], after = programs[at]!;
    render(html`<h1>${found.problem}</h1>
      <div class="row steps"><button aria-label="first" @click=${() => to(0)}>«</button><button aria-label="back" @click=${() => to(at - 1)} ?disabled=${at === 0}>‹</button>
        <b aria-live="polite">step ${at} of ${found.steps.length}</b><button aria-label="forward" id="forward" @click=${() => to(at + 1)} ?disabled=${at === found.steps.length}>›</button><button aria-label="last" @click=${() => to(found.steps.length)}>»</button>
        <label>jump to <select @change=${(e: Event) => to(Number((e.target as HTMLSelectElement).value))}>${[{ rule: "the plain program" }, ...found.steps].map((one: Json, k: number) => html`<option value=${k} ?selected=${k === at}>${k} ${one.rule}</option>`)}</select></label></div>
      ${step ? html`<p><b>${step.rule}</b>: ${step.because} <span class="quiet">(${step.by})</span></p>${Object.keys(step.data).length ? html`<p class="quiet">${Object.entries(step.data).map(([key, value]) => html`<span>${key}: <code>${String(value)}</code> </span>`)}</p>` : nothing}` : html`<p>The plain program, as it was written down.</p>`}
      <div class="two">${at ? html`<section><h2>before</h2><pre class="code" tabindex="0">${before.map((one) => html`<span class=${step.removed.includes(one) ? "gone" : ""}>${step.removed.includes(one) ? "− " : "  "}${one}\n</span>`)}</pre></section>` : nothing}
        <section><h2>${at === found.steps.length ? "the derived program" : at ? "after" : "program"}</h2><pre class="code" tabindex="0">${(at === found.steps.length ? found.result : after).map((one: string) => html`<span class=${step?.added.includes(one) ? "come" : ""}>${step?.added.includes(one) ? "+ " : "  "}${one}\n</span>`)}</pre></section></div>
      <section><h2>What the derived program looks at</h2><div id="tree" class="drawing"></div></section>
      ${found.theorem.length ? html`<details><summary>Theorem and axioms, as the file states them</summary><pre class="code" tabindex="0">${[...found.axioms, "", ...found.theorem].join("\n")}</pre></details>` : nothing}`, host);
    show(host.querySelector("#tree"), found.tree);
  };
  draw();
  const keys = (event: KeyboardEvent): void => {
    if (/^(INPUT|SELECT|TEXTAREA)$/.test((event.target as HTMLElement).tagName)) return;
    if (event.key === "ArrowRight") to(at + 1); else if (event.key === "ArrowLeft") to(at - 1);
  };
  document.addEventListener("keydown", keys);
  return () => document.removeEventListener("keydown", keys);
}
