// The API as the page uses it: requests, errors in one line, and a socket that comes back where it was.

export interface Move { code: number | null; move: string; path: string[] | null; chance?: number }
export interface Last { code: number | null; move: string | null; path: string[] | null; mover: number }
export interface View {
  table: string; version: number; game: string; players: number; ply: number; plies: number; mover: number; over: boolean;
  end: string | null; loser: number | null; payoffs: number[] | null; position: string | null; text: string;
  board: { svg: string; flips: boolean; kind: string }; moves: Move[]; last: Last | null;
  history: { mover: number; code: number | null; move: string | null }[]; seats: string[]; seat: number | null;
  hidden: boolean; thinking: { seat: number; agent: string } | null; clocks: number[] | null;
  trouble: ApiError | null; nature: string; facts: Facts; source: string | null; seq?: number;
}
export interface Facts {
  game: string; about: string; secrets: boolean; chance: boolean; players: number;
  levels: Record<string, string>; fingerprint: string; analyst: string; kind: string;
  record?: { agents: string[]; payoffs: number[]; end: string; reason: string | null; opening: number };
}
export interface ApiError { type: string; message: string; file: string | null; line: number | null }
export interface PvLine { value: number | null; unit: string; decided: boolean; nodes?: number; line: Move[] }
export interface Thought {
  ply: number; mover: number; agent: string; depth: number | null; playouts: number | null; value: number | null;
  unit: string; decided: boolean; bar: number | null; bars: number[]; payoffs: (number | null)[]; nodes: number; seconds: number; move: string; code: number;
  line: Move[]; lines: PvLine[]; moves: { move: string; code: number; visits: number | null; value: number | null }[];
}
// eslint-disable-next-line @typescript-eslint/no-explicit-any
export type Json = any;

export class Failure extends Error {
  constructor(readonly status: number, readonly error: ApiError) { super(error.message); }
}

const ROOT = "/api/v1";

// How many answers the page waits for: shown, so that whoever reads or tests it knows when it is whole.
let waiting = 0;
const pending = (by: number): void => { waiting += by; document.documentElement.dataset.waiting = String(waiting); };

async function ask(method: string, path: string, body?: unknown): Promise<Json> {
  const init: RequestInit = { method, credentials: "same-origin", keepalive: method === "DELETE" }; // an end is wished for also by a page that closes
  if (body !== undefined) {
    init.body = JSON.stringify(body);
    init.headers = { "content-type": "application/json" };
  }
  let answer: Response, data: Json;
  pending(1);
  try {
    answer = await fetch(ROOT + path, init);
    data = answer.status === 204 ? null : await answer.json().catch(() => null);
  } catch {
    throw new Failure(0, { type: "Gone", message: "the server does not answer; is it still running?", file: null, line: null });
  } finally {
    pending(-1);
  }
  if (!answer.ok) throw new Failure(answer.status, data?.error ?? { type: "Http", message: `status ${answer.status}`, file: null, line: null });
  return data;
}

export const get = (path: string): Promise<Json> => ask("GET", path);
export const post = (path: string, body: unknown): Promise<Json> => ask("POST", path, body);
export const put = (path: string, body: unknown): Promise<Json> => ask("PUT", path, body);
export const remove = (path: string): Promise<Json> => ask("DELETE", path);
export const query = (facts: Record<string, string | number | null | undefined>): string => {
  const pairs = Object.entries(facts).filter(([, value]) => value !== null && value !== undefined && value !== "");
  return pairs.length ? "?" + pairs.map(([key, value]) => `${key}=${encodeURIComponent(String(value))}`).join("&") : "";
};

// One socket for the page; topics are watched again, from where they were, after a lost connection.
type Hear = (message: Json) => void;
const heard = new Map<string, { hear: Hear; seq: number | null }>();
let socket: WebSocket | null = null;
let delay = 250;

function connect(): void {
  if (socket || heard.size === 0) return;
  const scheme = location.protocol === "https:" ? "wss" : "ws";
  const here = new WebSocket(`${scheme}://${location.host}${ROOT}/ws`);
  socket = here;
  here.onopen = () => {
    delay = 250;
    for (const [topic, one] of heard) here.send(JSON.stringify({ watch: topic, since: one.seq }));
  };
  here.onmessage = (event) => {
    const message = JSON.parse(event.data as string);
    const one = heard.get(message.topic);
    if (!one) return;
    one.seq = message.seq;
    one.hear(message);
  };
  here.onclose = () => {
    if (socket === here) socket = null;
    if (heard.size) setTimeout(connect, delay = Math.min(delay * 2, 5000));
  };
}

export function watch(topic: string, hear: Hear, since: number | null = null): () => void {
  heard.set(topic, { hear, seq: since });
  if (socket?.readyState === WebSocket.OPEN) socket.send(JSON.stringify({ watch: topic, since }));
  else connect();
  return () => {
    heard.delete(topic);
    if (socket?.readyState === WebSocket.OPEN) socket.send(JSON.stringify({ unwatch: topic }));
    if (heard.size === 0) { socket?.close(); socket = null; }
  };
}
