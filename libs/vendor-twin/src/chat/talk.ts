import type { JsonObject } from '@model-gateway/contracts';
import type { Markers } from '../core/markers.ts';
import { seedOf } from '../core/values.ts';
import type { Stage } from '../core/stage.ts';

/** A conversation in any dialect, as far as the twin's one brain needs to know it. */
export interface Talk {
  readonly model: string;
  readonly system: string;
  readonly turns: readonly Turn[];
  readonly tools: readonly TalkTool[];
  /** Names: one of these tools must be called. */
  readonly choice: 'auto' | 'none' | 'required' | readonly string[];
  /** Several calls at once are welcome. */
  readonly parallel: boolean;
  readonly format: 'text' | 'json' | { readonly schema: JsonObject };
  /** The model thinks before it answers. */
  readonly thinks: boolean;
  /** Output tokens, thinking included. */
  readonly mostTokens?: number;
  readonly stop: readonly string[];
  /** The vendor's own web search is offered. */
  readonly search: boolean;
}

export interface TalkTool {
  readonly name: string;
  readonly schema: JsonObject;
}

/** What one side said; tool results stand on the user's side. */
export interface Turn {
  readonly role: 'user' | 'assistant';
  readonly text: string;
  readonly images: number;
  readonly documents: number;
  readonly audios: number;
  readonly results: readonly ToolResult[];
}

export interface ToolResult {
  readonly name: string;
  readonly text: string;
  readonly isError: boolean;
}

export interface ToolUse {
  readonly name: string;
  readonly input: JsonObject;
}

export interface Answer {
  /** Empty when the model does not think. */
  readonly thinking: string;
  readonly text: string;
  readonly calls: readonly ToolUse[];
  readonly finish: 'stop' | 'stop-sequence' | 'length' | 'tools' | 'refusal';
  readonly stopSequence?: string;
  /** What was looked up on the web; empty when nothing was. */
  readonly searched: readonly { readonly query: string; readonly url: string; readonly title: string }[];
  readonly tokens: { readonly input: number; readonly output: number; readonly reasoning: number };
}

/** A turn with nothing but text. */
export function plainTurn(role: Turn['role'], text: string): Turn {
  return { role, text, images: 0, documents: 0, audios: 0, results: [] };
}

/** The user's last words: what the answer is about, and where marks are read. */
export function lastWords(talk: Pick<Talk, 'turns'>): string {
  return (
    talk.turns.findLast((turn) => turn.role === 'user' && (turn.text !== '' || turn.results.length === 0))?.text ?? ''
  );
}

/** Turns of tool results since the user last spoke. */
export function resultTurns(talk: Pick<Talk, 'turns'>): readonly Turn[] {
  const asked = talk.turns.findLastIndex((turn) => turn.role === 'user' && turn.results.length === 0);
  return talk.turns.slice(asked + 1).filter((turn) => turn.results.length > 0);
}

/** About what a tokenizer would count: a token for four characters, or for one beyond Latin. */
export function tokensOf(text: string): number {
  let wide = 0;
  for (let at = 0; at < text.length; at += 1) if (text.charCodeAt(at) > 0x2e7f) wide += 1;
  return Math.ceil((text.length - wide) / 4) + wide;
}

const PER_TURN = 4;
const PER_IMAGE = 85;
const PER_DOCUMENT = 250;
const PER_AUDIO = 60;

/** Tokens of everything the model reads. */
export function inputTokens(talk: Talk): number {
  let sum = tokensOf(talk.system) + 3;
  for (const turn of talk.turns) {
    sum +=
      PER_TURN +
      tokensOf(turn.text) +
      turn.images * PER_IMAGE +
      turn.documents * PER_DOCUMENT +
      turn.audios * PER_AUDIO;
    for (const result of turn.results) sum += PER_TURN + tokensOf(result.text);
  }
  for (const tool of talk.tools) sum += 8 + tokensOf(tool.name) + tokensOf(JSON.stringify(tool.schema));
  return sum;
}

const SHORTEST = 1024;
const REMEMBERED = 50_000;

/** Whether a prompt began so within the time that prompts are kept for. */
export function wasMet(stage: Stage, prefix: string): boolean {
  return (stage.seenPrefixes.get(prefixKey(prefix)) ?? 0) > stage.now();
}

function prefixKey(prefix: string): string {
  return `${prefix.length} ${seedOf(prefix)}`;
}

/** Keeps a prefix of a prompt until a moment. */
export function keepPrefix(stage: Stage, prefix: string, until: number): void {
  if (stage.seenPrefixes.size >= REMEMBERED) stage.seenPrefixes.clear();
  stage.seenPrefixes.set(prefixKey(prefix), until);
}

const STEP_TOKENS = 128;
const CHARACTERS_PER_TOKEN = 4;
const KEPT_MS = 600_000;

/**
 * Tokens that an automatic prompt cache saves: as many steps of 128 as the prompt begins with like one of the last ten minutes, and none for
 * short prompts.
 */
export function cachedTokens(stage: Stage, talk: Talk, input: number, markers: Markers): number {
  const asked = Number(markers.words.get('cached'));
  if (Number.isInteger(asked)) return Math.min(asked, input);
  if (input < SHORTEST) return 0;
  const prompt = JSON.stringify([talk.model, talk.tools, talk.system, talk.turns]);
  const step = STEP_TOKENS * CHARACTERS_PER_TOKEN;
  let kept = 0;
  // Each step is known by its own text and the step before it: a prompt of megabytes is read once.
  let prefix = '';
  for (let end = step; end <= prompt.length; end += step) {
    prefix = `${end} ${seedOf(prefix + prompt.slice(end - step, end))}`;
    if (kept === end - step && wasMet(stage, prefix)) kept = end;
    keepPrefix(stage, prefix, stage.now() + KEPT_MS);
  }
  const steps = Math.min(kept / step, Math.floor((input - 1) / STEP_TOKENS));
  return steps * STEP_TOKENS < SHORTEST ? 0 : steps * STEP_TOKENS;
}
