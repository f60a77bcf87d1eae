/** The body that asks for music, as the neutral form. */
import { GatewayError, type JsonObject } from '@model-gateway/contracts';
import type { MusicCreate } from '@model-gateway/provider-kit';
import type { ModelRow } from '../../catalogue.ts';
import { wrongField } from '../../wrong-field.ts';

/** Where the row says no length that is usual. */
const USUAL_SECONDS = 30;
const USUAL_FORMAT = 'mp3';

/** Throws `invalid_request` naming the field. */
export function musicOf(body: JsonObject, row: ModelRow): MusicCreate {
  const { model: _model, prompt, lyrics, seconds, instrumental, response_format: format, seed, ...extra } = body;
  if (typeof prompt !== 'string' || prompt.trim() === '') throw wrongField('prompt', 'must be a text');
  return {
    prompt,
    ...(typeof lyrics === 'string' && lyrics !== '' && { lyrics }),
    seconds: lengthOf(typeof seconds === 'number' ? seconds : undefined, row),
    ...(typeof instrumental === 'boolean' && { instrumental }),
    format: formatOf(typeof format === 'string' ? format : undefined, row),
    ...(typeof seed === 'number' && { seed }),
    extra,
  };
}

/** The length is what is paid: it is always said, and always within what the model makes. */
function lengthOf(asked: number | undefined, { limits }: ModelRow): number {
  const [least, most] = [numberIn(limits, 'min_seconds') ?? 0, numberIn(limits, 'max_seconds') ?? Infinity];
  const usual = numberIn(limits, 'usual_seconds') ?? Math.min(most, Math.max(least, USUAL_SECONDS));
  const seconds = asked ?? usual;
  if (seconds > 0 && seconds >= least && seconds <= most) return seconds;
  const range = least === most ? `exactly ${most}` : `${least} to ${most}`;
  throw new GatewayError('invalid_request', `seconds is ${seconds}; this model makes ${range} seconds`, {
    param: 'seconds',
  });
}

function formatOf(asked: string | undefined, { limits: { formats } }: ModelRow): string {
  const made = Array.isArray(formats) ? formats.filter((each) => typeof each === 'string') : [];
  const format = asked ?? made[0] ?? USUAL_FORMAT;
  if (made.length === 0 || made.includes(format)) return format;
  throw new GatewayError('invalid_request', `response_format is ${format}; this model makes ${made.join(', ')}`, {
    param: 'response_format',
  });
}

function numberIn(limits: JsonObject, name: string): number | undefined {
  const value = limits[name];
  return typeof value === 'number' ? value : undefined;
}
