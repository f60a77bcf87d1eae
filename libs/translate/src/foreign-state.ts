/**
 * Another vendor's state in a body that is forwarded as it came: a caller who changes the model in the middle of a conversation
 * sends it along, and the new vendor would refuse what it cannot read (docs/wire/chat-translation.md#reasoning-state,
 * docs/wire/known-bugs-in-other-gateways.md#chat, bug 38).
 */
import { GatewayError, isJsonObject, type Json, type JsonObject } from '@model-gateway/contracts';
import type { Target } from './dialect.ts';
import { isEnvelope, opaqueFits, unwrapOpaque } from './shared/opaque-envelope.ts';

/** Blocks and items that are nothing without their state, in all four dialects. */
const CARRIERS: ReadonlySet<Json | undefined> = new Set(['reasoning', 'thinking', 'redacted_thinking']);
const STATE_FIELDS = ['encrypted_content', 'signature', 'data', 'thoughtSignature', 'thought_signature'] as const;
/** What Gemini takes in place of a signature that was lost (docs/wire/gemini-generate.md#thought-signatures). */
const SENTINEL = 'skip_thought_signature_validator';

/**
 * The body without state in envelopes that the target cannot read; state it can read is put back plain. The same object when there
 * is none: look for `ENVELOPE_PREFIX` in the bytes before asking.
 */
export function withoutForeignState(body: JsonObject, target: Pick<Target, 'provider' | 'model'>): JsonObject {
  const cleaned = clean(body, target);
  return isJsonObject(cleaned) ? cleaned : body;
}

/** Undefined for a block that is gone with its state. */
function clean(value: Json, target: Pick<Target, 'provider' | 'model'>): Json | undefined {
  if (Array.isArray(value)) {
    const items = value.map((item) => clean(item, target));
    const same = items.every((item, index) => item === value[index]);
    return same ? value : items.filter((item) => item !== undefined);
  }
  if (!isJsonObject(value)) return value;
  const field = STATE_FIELDS.find((name) => isEnvelopeText(value[name]));
  if (field !== undefined) return withoutState(value, field, target);
  let changed: JsonObject | undefined;
  for (const [key, inside] of Object.entries(value)) {
    const cleaned = typeof inside === 'object' ? clean(inside, target) : inside;
    if (cleaned === inside) continue;
    changed ??= { ...value };
    const empty = Array.isArray(cleaned) && cleaned.length === 0 && key === 'thinking_blocks';
    if (cleaned === undefined || empty) Reflect.deleteProperty(changed, key);
    else changed[key] = cleaned;
  }
  // An object that held nothing else is gone too (`extra_content`).
  return changed !== undefined && Object.keys(changed).length === 0 ? undefined : (changed ?? value);
}

function isEnvelopeText(value: Json | undefined): boolean {
  return typeof value === 'string' && isEnvelope(value);
}

function withoutState(
  block: JsonObject,
  field: (typeof STATE_FIELDS)[number],
  target: Pick<Target, 'provider' | 'model'>,
): Json | undefined {
  const state = block[field];
  const opaque = typeof state === 'string' ? unwrapOpaque(state) : undefined;
  if (opaque !== undefined && opaqueFits(opaque, target)) return { ...block, [field]: opaque.value };
  if (CARRIERS.has(block['type'])) return undefined;
  if (field === 'thoughtSignature') {
    // A call must be signed; a thought of nothing but a signature is nothing.
    if ('functionCall' in block) return { ...block, [field]: SENTINEL };
    if (block['thought'] === true && (block['text'] === undefined || block['text'] === '')) return undefined;
  }
  const { [field]: _state, ...rest } = block;
  return Object.keys(rest).length === 0 ? undefined : rest;
}

const STATE_WORDS = /signature|encrypted[ _]content|thinking block|redacted_thinking/i;

/** Whether a vendor refused a request for the state of earlier turns in it: the same without reasoning may pass. */
export function isStateRefusal(error: unknown): boolean {
  return error instanceof GatewayError && error.code === 'invalid_request' && STATE_WORDS.test(error.message);
}
