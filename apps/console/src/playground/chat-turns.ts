/** A conversation with one model, and how an answer grows while it comes. Pure. */
import type { Schemas } from '../api/api.ts';
import type { Model } from './models.ts';

export interface Attachment {
  readonly name: string;
  readonly type: string;
  /** A `data:` URL. */
  readonly url: string;
}

export interface ToolCall {
  readonly id: string;
  readonly name: string;
  readonly text: string;
}

export interface Stats {
  /** Milliseconds to the first text, and in all. */
  readonly firstMs?: number;
  readonly ms?: number;
  readonly inputTokens?: number;
  readonly outputTokens?: number;
  readonly usd?: number;
  readonly requestId?: string;
  readonly dropped?: string;
}

export type Turn =
  | { readonly role: 'user'; readonly text: string; readonly files: readonly Attachment[] }
  | {
      readonly role: 'assistant';
      readonly text: string;
      readonly reasoning: string;
      readonly calls: readonly ToolCall[];
      readonly stats: Stats;
      readonly error?: unknown;
      /** The built-in vendor twin gave it. */
      readonly isSimulated?: boolean;
    }
  | { readonly role: 'tool'; readonly callId: string; readonly text: string };
export type Answer = Extract<Turn, { role: 'assistant' }>;

export const EMPTY_ANSWER: Answer = { role: 'assistant', text: '', reasoning: '', calls: [], stats: {} };

type Chunk = Schemas['ChatCompletionChunk'];
type Json = Record<string, unknown>;

/** The answer with one event more. */
export function withChunk(answer: Answer, chunk: Chunk): Answer {
  const delta = chunk.choices[0]?.delta;
  const calls = [...answer.calls];
  for (const piece of delta?.tool_calls ?? []) {
    const before = calls[piece.index] ?? { id: '', name: '', text: '' };
    calls[piece.index] = {
      id: piece.id ?? before.id,
      name: piece.function?.name ?? before.name,
      text: before.text + (piece.function?.arguments ?? ''),
    };
  }
  const usage = chunk.usage;
  return {
    ...answer,
    text: answer.text + (delta?.content ?? ''),
    reasoning: answer.reasoning + (delta?.reasoning_content ?? ''),
    calls,
    stats:
      usage === undefined || usage === null
        ? answer.stats
        : { ...answer.stats, inputTokens: usage.prompt_tokens, outputTokens: usage.completion_tokens },
  };
}

export type Whole = Schemas['ChatCompletion'];

/** The answer where it comes in one piece. */
export function withWhole(answer: Answer, whole: Whole): Answer {
  const message = whole.choices[0]?.message as unknown as NonNullable<Chunk['choices'][0]>['delta'] | undefined;
  const tool_calls = message?.tool_calls?.map((call, index) => ({ ...call, index })) ?? null;
  const delta = { ...message, tool_calls };
  return withChunk(answer, {
    ...whole,
    object: 'chat.completion.chunk',
    choices: [{ index: 0, delta }],
    usage: whole.usage ?? null,
  } as unknown as Chunk);
}

/** US dollars for these tokens by the model's prices; an estimate, the bill is in the ledger. */
export function priceOf(model: Model | undefined, { inputTokens, outputTokens }: Stats): number | undefined {
  const input = model?.price?.['input'];
  const output = model?.price?.['output'];
  if (typeof input !== 'number' || typeof output !== 'number') return undefined;
  if (inputTokens === undefined || outputTokens === undefined) return undefined;
  return (inputTokens * input + outputTokens * output) / 1e6;
}

/** The calls whose results nobody has given yet. */
export function openCalls(turns: readonly Turn[]): readonly ToolCall[] {
  const last = turns.findLast((turn) => turn.role === 'assistant');
  if (last === undefined || turns.at(-1)?.role === 'user') return [];
  const answered = new Set(turns.filter((turn) => turn.role === 'tool').map((turn) => turn.callId));
  return last.calls.filter(({ id }) => !answered.has(id));
}

/** The turns in the words of chat completions. */
export function toMessages(system: string, turns: readonly Turn[]): readonly Json[] {
  const messages = turns.flatMap((turn): Json[] => {
    if (turn.role === 'tool') return [{ role: 'tool', tool_call_id: turn.callId, content: turn.text }];
    if (turn.role === 'assistant') {
      if (turn.error !== undefined && turn.text === '' && turn.calls.length === 0) return [];
      const calls = turn.calls.map(({ id, name, text }) => ({
        id,
        type: 'function',
        function: { name, arguments: text },
      }));
      return [{ role: 'assistant', content: turn.text, ...(calls.length > 0 && { tool_calls: calls }) }];
    }
    if (turn.files.length === 0) return [{ role: 'user', content: turn.text }];
    return [{ role: 'user', content: [...turn.files.map(toPart), { type: 'text', text: turn.text }] }];
  });
  return system.trim() === '' ? messages : [{ role: 'system', content: system }, ...messages];
}

function toPart({ name, type, url }: Attachment): Json {
  if (type.startsWith('image/')) return { type: 'image_url', image_url: { url } };
  const base64 = url.slice(url.indexOf(',') + 1);
  if (type.startsWith('audio/'))
    return { type: 'input_audio', input_audio: { data: base64, format: type.includes('wav') ? 'wav' : 'mp3' } };
  return { type: 'file', file: { filename: name, file_data: url } };
}
