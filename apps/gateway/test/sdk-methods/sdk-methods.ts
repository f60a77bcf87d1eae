/** The methods of the official SDKs, and the words for what becomes of each here. */
import { globSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import Anthropic from '@anthropic-ai/sdk';
import { GoogleGenAI } from '@google/genai';
import OpenAI from 'openai';

/** Clients of one running gateway. */
export interface Clients {
  readonly openai: OpenAI;
  readonly anthropic: Anthropic;
  readonly google: GoogleGenAI;
  /** Google's, as its cloud is asked (`vertexai: true`). */
  readonly cloud: GoogleGenAI;
  readonly url: string;
  readonly key: string;
  /** Lets enough time pass for every video to end. */
  readonly passTime: () => Promise<void>;
}

/** Calls the method and gives what only a call that worked has: nothing, `false`, 0 and an empty text are failures. */
export type Call = (clients: Clients, model: string) => Promise<string | number | boolean | null | undefined>;

/** A method, or with `*` at its end all that begin so. */
export type Rows = Readonly<Record<string, Row>>;
export interface Row {
  readonly state: 'works' | 'translated' | 'vendor' | 'absent';
  readonly note?: string;
  readonly call?: Call;
  /** The models that it is called with. */
  readonly models?: readonly string[];
}

/** The gateway answers it itself. */
export const works = (call: Call, note?: string): Row => ({
  state: 'works',
  call,
  ...(note !== undefined && { note }),
});
/** It reaches models of any vendor: one of the models is its vendor's own, another is not. */
export const translated = (call: Call, models: readonly string[], note?: string): Row => ({
  state: 'translated',
  call,
  models,
  ...(note !== undefined && { note }),
});
/** It reaches its own vendor only. */
export const vendor = (call: Call, models: readonly string[], note?: string): Row => ({
  state: 'vendor',
  call,
  models,
  ...(note !== undefined && { note }),
});
/** It is not served; `note` says why. */
export const absent = (note: string): Row => ({ state: 'absent', note });

export interface Sdk {
  /** As npm has it. */
  readonly name: 'openai' | '@anthropic-ai/sdk' | '@google/genai';
  readonly rows: Rows;
}

/** Every public method of a package's client, by its path on the client; of classes for WebSockets the module that has them. */
export function methodsOf(name: Sdk['name']): readonly string[] {
  if (name === 'openai') {
    const folder = fileURLToPath(new URL('.', import.meta.resolve('openai')));
    const sockets = globSync('{beta,realtime,resources}/**/{ws,websocket}.mjs', { cwd: folder }).map(
      (file) => `openai/${file.replace('.mjs', '')}`,
    );
    return [...walk(new OpenAI({ apiKey: 'none', adminAPIKey: 'none' })), ...sockets.sort()];
  }
  if (name === '@anthropic-ai/sdk') return walk(new Anthropic({ apiKey: 'none' }));
  const types = readFileSync(new URL('../genai.d.ts', import.meta.resolve('@google/genai')), 'utf8');
  const hidden = [...types.matchAll(/^ +(?:private|protected) (?:readonly )?(?:get )?(\w+)/gm)].map(
    ([, word]) => word!,
  );
  return walk(new GoogleGenAI({ apiKey: 'none' }), new Set(hidden));
}

/** Methods of the resources; those of the client itself (`withOptions`, `get`) are how the rest is sent. */
function walk(client: object, hidden: ReadonlySet<string> = new Set()): readonly string[] {
  const found = new Set<string>();
  const seen = new Set<object>();
  const look = (at: object, path: string): void => {
    if (seen.has(at)) return;
    seen.add(at);
    for (const name of membersOf(at)) {
      if (name.startsWith('_') || name === 'constructor' || hidden.has(name)) continue;
      const value = (at as Readonly<Record<string, unknown>>)[name];
      if (typeof value === 'function') {
        if (path !== '') found.add(path + name);
      } else if (isResource(value)) look(value, `${path}${name}.`);
    }
  };
  look(client, '');
  return [...found].sort();
}

function membersOf(value: object): Set<string> {
  const names = new Set(Object.keys(value));
  for (let at: unknown = Object.getPrototypeOf(value); isResource(at); at = Object.getPrototypeOf(at))
    for (const name of Object.getOwnPropertyNames(at)) names.add(name);
  return names;
}

/** Neither a plain value nor one of the language's own classes. */
function isResource(value: unknown): value is object {
  if (typeof value !== 'object' || value === null) return false;
  const own = (value as { readonly constructor?: { readonly name?: string } }).constructor;
  return own !== Object && own !== Array && own !== Map && own !== Set && own !== Headers && own !== Promise;
}

/** The row that speaks of a method: its own, or the longest that it begins with. */
export function rowOf(rows: Rows, method: string): string | undefined {
  if (rows[method] !== undefined) return method;
  const families = Object.keys(rows).filter((name) => name.endsWith('*') && method.startsWith(name.slice(0, -1)));
  return families.sort((one, other) => other.length - one.length)[0];
}
