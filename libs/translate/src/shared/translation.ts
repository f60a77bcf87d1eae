/** What every encoder of requests does with the words its wire has not. */
import { GatewayError, type DialectName, type JsonObject } from '@model-gateway/contracts';
import type { ChatRequest, Effort, Unportable } from '../conversation.ts';
import type { Target } from '../dialect.ts';
import type { DroppedList } from './dropped.ts';
import { invalid } from './read.ts';

/** Words that mean the same on both OpenAI wires. */
const OPENAI_WORDS: ReadonlySet<string> = new Set([
  'store',
  'prompt_cache_options',
  'prompt_cache_retention',
  'safety_identifier',
  'moderation',
]);

/**
 * The fields of `request.extra` that may go to `dialect`; the others, and nested ones the middle form has no word for, are
 * reported. Throws for what only the caller's own dialect can do.
 */
export function carriedExtra(request: ChatRequest, dialect: DialectName, dropped: DroppedList): JsonObject {
  if (request.dialect === dialect) return request.extra;
  const refused = request.unportable?.[0];
  if (refused !== undefined) throw unportableError(refused);
  const bothOpenAi = request.dialect?.startsWith('openai-') === true && dialect.startsWith('openai-');
  const carried: JsonObject = {};
  for (const [field, value] of Object.entries(request.extra)) {
    if (bothOpenAi && OPENAI_WORDS.has(field)) carried[field] = value;
    // Who does not store does as asked.
    else if (field !== 'store' || value !== false) dropped.add(field, `no such setting in ${dialect}`);
  }
  for (const place of request.nested ?? []) dropped.add(place, `no such setting in ${dialect}`);
  return carried;
}

function unportableError({ field, reason, code }: Unportable): GatewayError {
  if (code === undefined) return invalid(field, reason);
  return new GatewayError('invalid_request', `${field}: ${reason}`, { param: field, vendorCode: code });
}

/** The fields of a body that only its own wire can serve and that say something: `false`, null and empty lists say nothing. */
export function unportableFields(
  body: JsonObject,
  reasons: Readonly<Record<string, Omit<Unportable, 'field'>>>,
): Unportable[] {
  return Object.entries(reasons)
    .filter(([field]) => {
      const value = body[field];
      return Array.isArray(value) ? value.length > 0 : value !== undefined && value !== null && value !== false;
    })
    .map(([field, rest]) => ({ field, ...rest }));
}

/** The error for a tool that a vendor runs itself, and another vendor serves the model. */
export function foreignTool(name: string, place: string): GatewayError {
  return invalid(
    place,
    `the tool ${JSON.stringify(name)} is run by its own vendor, which does not serve this model; leave it out`,
  );
}

/** Throws when the target model takes no such input. */
export function requireInput(target: Target, kind: 'image' | 'document' | 'audio' | 'video', place: string): void {
  if (target.inputs === undefined || target.inputs.includes(kind)) return;
  throw invalid(place, `this model takes no ${kind} input; it takes ${target.inputs.join(', ')}`);
}

/** One fine point of the target, when it is of the type asked for. */
export function quirk(target: Pick<Target, 'quirks'> | undefined, name: string): string | number | boolean | undefined {
  const value = target?.quirks?.[name];
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean' ? value : undefined;
}

/** Share of the largest output that each effort may think (docs/wire/chat-translation.md#reasoning-controls). */
const SHARES: readonly (readonly [Effort, number])[] = [
  ['minimal', 0.02],
  ['low', 0.1],
  ['medium', 0.3],
  ['high', 0.6],
  ['xhigh', 0.9],
  ['max', 1],
];

/** The thinking budget in tokens that stands for an effort, of a largest output of `cap` tokens. */
export function budgetOfEffort(effort: Effort, cap: number): number {
  const share = SHARES.find(([word]) => word === effort)?.[1] ?? 0;
  return Math.round(cap * share);
}

/** The effort nearest to a thinking budget; undefined for -1 (the model decides). */
export function effortOfBudget(budget: number, cap: number): Effort | undefined {
  if (budget < 0) return undefined;
  if (budget === 0) return 'none';
  const share = budget / cap;
  // Halfway between two shares the lower one ends.
  const next = SHARES.findIndex(([, own], index) => share <= (own + (SHARES[index + 1]?.[1] ?? own)) / 2);
  return SHARES[next]?.[0] ?? 'max';
}
