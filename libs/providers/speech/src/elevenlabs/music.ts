import { GatewayError, type JsonObject } from '@model-gateway/contracts';
import {
  defined,
  numberAt,
  soundReply,
  usageOf,
  type MusicAdapter,
  type MusicCreate,
  type Upstream,
  type UpstreamRequest,
} from '@model-gateway/provider-kit';
import { readFault } from './fault.ts';

const OUTPUTS = { mp3: 'mp3_44100_128', opus: 'opus_48000_128' } as const;
type Format = keyof typeof OUTPUTS;
/** Ten minutes of music take a few. */
const SECONDS = 600;
const EFFECTS = /text_to_sound/;
/** The vendor's fields of sound effects that change no price. */
const EFFECT_FIELDS = new Set(['loop', 'prompt_influence']);

/** `POST /v1/music` and `POST /v1/sound-generation` (docs/wire/elevenlabs.md#music): sound in bytes. */
export const music: MusicAdapter = {
  async compose(input, upstream) {
    const { request, format, dropped } = toElevenLabsMusic(input, upstream);
    const reply = await upstream.stream(request);
    const reported = usageOf({ units: numberAt(reply.headers, 'character-cost') });
    return soundReply(reply, upstream, { format, text: '', dropped, reported, readFault });
  },
};

export function toElevenLabsMusic(
  input: MusicCreate,
  { model }: Pick<Upstream, 'model'>,
): { readonly request: UpstreamRequest; readonly format: Format; readonly dropped: readonly string[] } {
  const format = formatOf(input);
  const { body, path, dropped } = EFFECTS.test(model) ? effectOf(input, model) : songOf(input, model);
  return {
    request: {
      method: 'POST',
      path: `${path}?output_format=${OUTPUTS[format]}`,
      json: body,
      firstByteSeconds: SECONDS,
    },
    format,
    dropped,
  };
}

interface Asked {
  readonly path: string;
  readonly body: JsonObject;
  readonly dropped: readonly string[];
}

/** Words that are sung stand in the prompt; a seed is for composition plans alone. */
function songOf({ prompt, lyrics, seconds, instrumental, seed, extra }: MusicCreate, model: string): Asked {
  return {
    path: '/v1/music',
    body: {
      prompt: lyrics === undefined ? prompt : `${prompt}\n\nLyrics:\n${lyrics}`,
      music_length_ms: Math.round(seconds * 1000),
      model_id: model,
      ...(instrumental === true && { force_instrumental: true }),
    },
    dropped: [...(seed === undefined ? [] : ['seed']), ...Object.keys(extra)],
  };
}

function effectOf({ prompt, seconds, extra, ...unsent }: MusicCreate, model: string): Asked {
  const { lyrics, instrumental, seed } = unsent;
  const sent = Object.entries(extra).filter(([name]) => EFFECT_FIELDS.has(name));
  return {
    path: '/v1/sound-generation',
    body: { ...Object.fromEntries(sent), text: prompt, duration_seconds: seconds, model_id: model },
    dropped: [
      ...Object.keys(defined({ lyrics, instrumental, seed })),
      ...Object.keys(extra).filter((name) => !EFFECT_FIELDS.has(name)),
    ],
  };
}

function formatOf({ format }: MusicCreate): Format {
  if (format === 'mp3' || format === 'opus') return format;
  throw new GatewayError('invalid_request', `response_format: this model makes no ${format}; possible are mp3, opus`, {
    param: 'response_format',
  });
}
