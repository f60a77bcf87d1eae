import type { Json } from '@model-gateway/contracts';
import { head } from '../core/values.ts';
import { withoutMarkers, type Markers } from '../core/markers.ts';
import { sampleFor, sampleInput } from './sample.ts';
import {
  lastWords,
  resultTurns,
  type Answer,
  type Talk,
  type TalkTool,
  type ToolUse,
  inputTokens,
  tokensOf,
} from './talk.ts';

const REFUSAL = 'I cannot help with that.';

/** What every chat model of the twin answers: the same words for the same conversation. */
export function answerTo(talk: Talk, markers: Markers): Answer {
  const said = withoutMarkers(lastWords(talk));
  const thinking = talk.thinks || markers.words.has('think') ? thoughtsAbout(said, talk) : '';
  const input = inputTokens(talk);
  const reasoning = tokensOf(thinking);
  const searched = talk.search && wantsSearch(said, markers) ? [sourceFor(said)] : [];
  const usual = { thinking, searched, text: '', calls: [] };
  if (markers.words.has('refuse')) {
    return { ...usual, text: REFUSAL, finish: 'refusal', tokens: { input, output: reasoning + 7, reasoning } };
  }
  const calls = callsFor(talk, said, markers);
  if (calls.length > 0) {
    const output = reasoning + calls.reduce((sum, call) => sum + 9 + tokensOf(JSON.stringify(call.input)), 0);
    return { ...usual, calls, finish: 'tools', tokens: { input, output, reasoning } };
  }
  return { ...usual, ...spoken(talk, wordsFor(talk, said, markers), { input, reasoning }) };
}

/** Cuts the text where a stop text or the cap on tokens ends it. */
function spoken(
  talk: Talk,
  whole: string,
  { input, reasoning }: { readonly input: number; readonly reasoning: number },
): Pick<Answer, 'text' | 'finish' | 'stopSequence' | 'tokens'> {
  let text = whole;
  let stopSequence: string | undefined;
  for (const stop of talk.stop) {
    const at = stop === '' ? -1 : text.indexOf(stop);
    if (at !== -1) {
      text = text.slice(0, at);
      stopSequence = stop;
    }
  }
  const left = Math.max(0, (talk.mostTokens ?? Number.POSITIVE_INFINITY) - reasoning);
  if (tokensOf(text) > left) {
    text = head(text, left * 4);
    while (tokensOf(text) > left) text = head(text, text.length - 1);
    return { text, finish: 'length', tokens: { input, output: reasoning + left, reasoning } };
  }
  const tokens = { input, output: reasoning + Math.max(1, tokensOf(text)), reasoning };
  return stopSequence === undefined
    ? { text, finish: 'stop', tokens }
    : { text, finish: 'stop-sequence', stopSequence, tokens };
}

function wordsFor(talk: Talk, said: string, markers: Markers): string {
  const long = Number(markers.words.get('long'));
  if (Number.isInteger(long) && long > 0) return longText(Math.min(long, 200_000));
  if (talk.format !== 'text') {
    const value: Json = talk.format === 'json' ? { said } : sampleFor(talk.format.schema, said);
    return JSON.stringify(value);
  }
  if (markers.words.has('json')) return JSON.stringify({ said });
  return [`You said: ${said === '' ? '(nothing)' : said}`, ...facts(talk)].join('\n');
}

/** What the model has taken in besides the words: a client sees at once what did not arrive. */
function facts(talk: Talk): string[] {
  const found: string[] = [];
  const count = (of: 'images' | 'documents' | 'audios'): number => talk.turns.reduce((sum, turn) => sum + turn[of], 0);
  if (talk.system !== '') found.push(`My instructions: ${talk.system.slice(0, 120)}`);
  if (talk.turns.length > 1) found.push(`Turns so far: ${talk.turns.length}.`);
  if (count('images') > 0) found.push(`Images seen: ${count('images')}.`);
  if (count('documents') > 0) found.push(`Documents read: ${count('documents')}.`);
  if (count('audios') > 0) found.push(`Recordings heard: ${count('audios')}.`);
  for (const turn of resultTurns(talk)) {
    for (const { name, text, isError } of turn.results) {
      found.push(`${name} ${isError ? 'failed' : 'answered'}: ${text.slice(0, 400)}`);
    }
  }
  return found;
}

function callsFor(talk: Talk, said: string, markers: Markers): ToolUse[] {
  if (talk.tools.length === 0 || talk.choice === 'none') return [];
  const { choice } = talk;
  const allowed = typeof choice === 'string' ? talk.tools : talk.tools.filter((tool) => choice.includes(tool.name));
  const rounds = resultTurns(talk).length;
  const forced = choice !== 'auto';
  const wantedRounds = Number(markers.words.get('steps') ?? '1');
  if (!forced && rounds >= wantedRounds) return [];
  const named = allowed.filter((tool) => isMentioned(tool, said));
  const marked = markers.words.has('tool') || markers.words.has('tools') || markers.words.has('steps');
  if (!forced && !marked && named.length === 0) return [];
  const candidates = named.length > 0 ? named : allowed;
  const first = candidates[rounds % candidates.length];
  if (first === undefined) return [];
  if (!markers.words.has('tools') || !talk.parallel) return [use(first, said)];
  const second = allowed.find((tool) => tool !== first) ?? first;
  return [use(first, said), use(second, `${said} in Berlin`)];
}

function use(tool: TalkTool, said: string): ToolUse {
  return { name: tool.name, input: sampleInput(tool.schema, said) };
}

const SMALL_WORDS = new Set(['call', 'data', 'from', 'function', 'info', 'lookup', 'tool', 'with']);

/** `get_current_weather` is meant by "what is the weather". */
function isMentioned(tool: TalkTool, said: string): boolean {
  const lower = said.toLowerCase();
  if (lower.includes(tool.name.toLowerCase())) return true;
  return tool.name
    .split(/[^A-Za-z]+|(?=[A-Z][a-z])/)
    .map((word) => word.toLowerCase())
    .some((word) => word.length >= 4 && !SMALL_WORDS.has(word) && lower.includes(word));
}

function wantsSearch(said: string, markers: Markers): boolean {
  return markers.words.has('search') || /search|news|latest|today|look up|web/i.test(said);
}

function sourceFor(said: string): { query: string; url: string; title: string } {
  const query = said.slice(0, 80);
  return {
    query,
    url: `https://example.com/search?q=${encodeURIComponent(query.slice(0, 40))}`,
    title: `About ${query}`,
  };
}

function thoughtsAbout(said: string, talk: Talk): string {
  const results = resultTurns(talk).length;
  return results > 0
    ? `The tools have answered ${results} time(s). Now I can answer the question: ${said.slice(0, 60)}`
    : `The user says: ${said.slice(0, 60)}. I will answer that plainly.`;
}

const WORDS = 'the twin speaks on and on so that streams have something to carry from one end to the other'.split(' ');

function longText(count: number): string {
  return Array.from({ length: count }, (_, index) => WORDS[index % WORDS.length]).join(' ');
}

/** A text as a model streams it: a few characters at a time, no character split. */
export function pieces(text: string): string[] {
  return text.match(/\s*\S{1,7}|\s+$/gu) ?? [];
}

/** JSON of a tool call in smaller bits than any value in it. */
export function jsonPieces(json: string): string[] {
  return json.match(/[\s\S]{1,9}/gu) ?? [];
}
