/** A request on its way to a vendor that speaks the caller's own wire: the caller's bytes, save what the dialect must edit. */
import { setTopLevel, type JsonObject } from '@model-gateway/contracts';
import type { ChatRequest } from '../conversation.ts';
import type { ChatDialect, Dropped, Target } from '../dialect.ts';
import { withoutForeignState } from '../foreign-state.ts';
import { fieldName } from '../shared/field-names.ts';
import { ENVELOPE_PREFIX } from '../shared/opaque-envelope.ts';
import { withoutReasoning } from './unreasoned.ts';

const NONE: ReadonlyMap<string, string> = new Map();
const ENVELOPE_BYTES = Buffer.from(ENVELOPE_PREFIX);

/** A body as it came, and what it says. */
export interface BodyBytes {
  readonly bytes: Buffer;
  readonly json: JsonObject;
}

export interface ForwardedRequest {
  /** `quirks.stream_options: false` says that the vendor must not be asked for usage. */
  readonly target: Target;
  readonly stream: boolean;
}

export interface Forwarded {
  readonly bytes: Buffer;
  /** What they say, save members at the top that were set in them alone. */
  readonly json: JsonObject;
  readonly dropped: readonly Dropped[];
  /** Caps that are sent as the most the model gives. */
  readonly capped: readonly Dropped[];
}

/**
 * The bytes to send. They are the caller's own unless a member must change (a cap above what the model gives, too), another vendor's
 * state must go, or a reasoning setting that this model has not.
 */
export function forwardRequest(dialect: ChatDialect, body: BodyBytes, { target, stream }: ForwardedRequest): Forwarded {
  const read = readable(body, target);
  const { body: json, dropped } = withoutReasoning(dialect.name, read.json, target);
  const bytes = json === read.json ? read.bytes : Buffer.from(JSON.stringify(json));
  const askUsage = target.quirks?.['stream_options'] !== false;
  const edits = dialect.forwarding.requestEdits(json, { model: target.model, stream, askUsage });
  const most = target.maxOutputTokens;
  const caps = most === undefined ? NONE : dialect.capEdits(json, most);
  if (most === undefined || caps.size === 0)
    return { bytes: edits.size === 0 ? bytes : setTopLevel(bytes, edits), json, dropped, capped: [] };
  return { bytes: setTopLevel(bytes, new Map([...edits, ...caps])), json, dropped, capped: loweredCaps(caps, most) };
}

/** What is told of caps that were lowered to the most a model gives. */
function loweredCaps(edits: ReadonlyMap<string, string>, most: number): Dropped[] {
  return [...edits.keys()].map((field) => lowered(field, most));
}

/** The same where a translation lowered it: under the caller's own name. */
export function loweredCap(request: ChatRequest, most: number): Dropped {
  return lowered(fieldName(request, 'maxOutputTokens'), most);
}

function lowered(field: string, most: number): Dropped {
  return { field, reason: `this model gives at most ${most} tokens` };
}

/** The caller may have changed the model in the middle of a conversation: state of the vendor before is of no use to the next. */
function readable(body: BodyBytes, target: Target): BodyBytes {
  if (!body.bytes.includes(ENVELOPE_BYTES)) return body;
  const json = withoutForeignState(body.json, target);
  return json === body.json ? body : { json, bytes: Buffer.from(JSON.stringify(json)) };
}

/** The edit that names the vendor's model in a body that says it. */
export function modelEdit(body: JsonObject, model: string): Map<string, string> {
  return new Map(body['model'] === model ? [] : [['model', JSON.stringify(model)]]);
}
