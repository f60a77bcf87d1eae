/**
 * Opaque vendor state in a foreign dialect's field (docs/wire/chat-translation.md#reasoning-state): the value with the name of
 * who made it, so that on the way back it is given to its maker only. The text is base64 whichever alphabet is assumed, without
 * padding, because some clients decode signature fields.
 */
import type { Opaque } from '../conversation.ts';
import type { Target } from '../dialect.ts';
import { objectOf, parseJson, wordOf } from './read.ts';

/** Six bytes, so that their base64 is a prefix of the whole. The digit is the version. */
const MARK = 'mgwv1:';
/** What every envelope begins with: tells that a body holds state of another vendor. */
export const ENVELOPE_PREFIX = Buffer.from(MARK).toString('base64');
const KINDS = ['signature', 'redacted', 'encrypted'] as const;

/** The envelope of one piece of opaque state. Never empty. */
export function wrapOpaque(opaque: Opaque): string {
  const json = JSON.stringify({
    p: opaque.provider,
    m: opaque.model,
    k: opaque.kind,
    i: opaque.itemId,
    v: opaque.value,
  });
  let text = '';
  for (const character of json) {
    // '>', '?' and '~' would become '+', '/', '-' or '_': escaped, the result is the same in both alphabets.
    const code = character.charCodeAt(0);
    const plain = code < 0x7e && character !== '>' && character !== '?';
    text += plain ? character : escaped(character);
  }
  const whole = MARK + text;
  return Buffer.from(whole + ' '.repeat((3 - (whole.length % 3)) % 3), 'ascii').toString('base64');
}

function escaped(character: string): string {
  let text = '';
  for (let index = 0; index < character.length; index += 1) {
    text += `\\u${character.charCodeAt(index).toString(16).padStart(4, '0')}`;
  }
  return text;
}

/** True for text that claims to be an envelope, damaged or not. */
export function isEnvelope(text: string): boolean {
  return text.startsWith(ENVELOPE_PREFIX);
}

/** What is in an envelope; undefined for any other text and for a damaged one. */
export function unwrapOpaque(text: string): Opaque | undefined {
  if (!isEnvelope(text)) return undefined;
  const inside = objectOf(parseJson(Buffer.from(text, 'base64').toString('ascii').slice(MARK.length)));
  const kind = KINDS.find((word) => word === inside?.['k']);
  const provider = wordOf(inside?.['p']);
  const value = wordOf(inside?.['v']);
  if (kind === undefined || provider === undefined || value === undefined) return undefined;
  const model = wordOf(inside?.['m']);
  const itemId = wordOf(inside?.['i']);
  return { provider, kind, value, ...(model !== undefined && { model }), ...(itemId !== undefined && { itemId }) };
}

/**
 * A signature field of a wire → opaque state: an envelope is opened, a plain value is its dialect's own (`native` says whose).
 * Undefined for an empty field and for a damaged envelope: nobody could read those.
 */
export function readOpaque(text: string | undefined, native: Omit<Opaque, 'value'>): Opaque | undefined {
  if (text === undefined || text === '') return undefined;
  return isEnvelope(text) ? unwrapOpaque(text) : { ...native, value: text };
}

/** State that a model's answer brought, bound to that model unless it says so itself. */
export function opaqueOfModel(opaque: Opaque, model: string | undefined): Opaque {
  return model === undefined || opaque.model !== undefined ? opaque : { ...opaque, model };
}

/** The text for a signature field of `provider`'s own wire: its own state plain, another's in an envelope. */
export function writeOpaque(opaque: Opaque, provider: string): string {
  return opaque.provider === provider ? opaque.value : wrapOpaque(opaque);
}

/** Whether this state may be sent to that model: same maker, same model family (a dated snapshot is of its family). */
export function opaqueFits(opaque: Opaque, target: Pick<Target, 'provider' | 'model'>): boolean {
  if (opaque.provider !== target.provider) return false;
  return opaque.model === undefined || modelFamily(opaque.model) === modelFamily(target.model);
}

/** `claude-sonnet-4-5-20250929` → `claude-sonnet-4-5`; `models/gemini-3-pro` → `gemini-3-pro`. */
function modelFamily(model: string): string {
  const bare = model.slice(model.lastIndexOf('/') + 1).toLowerCase();
  return bare.replace(/(?:[-@](?:\d{8}|\d{4}-\d{2}-\d{2})|-latest)$/, '');
}
