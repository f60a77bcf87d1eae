import { GatewayError, type Json } from '@model-gateway/contracts';
import {
  defined,
  inOnePiece,
  malformedReply,
  startedSound,
  textAt,
  withheld,
  type MusicAdapter,
  type MusicCreate,
  type Upstream,
  type UpstreamRequest,
} from '@model-gateway/provider-kit';
import { vertexModel } from './addresses.ts';

const SECONDS = 300;
const FIELDS = new Set(['negative_prompt']);

/** Lyria (docs/wire/vertex.md#music): a WAV file of one length, without a voice, as base64 in JSON. */
export const music: MusicAdapter = {
  async compose(input, upstream) {
    const { request, dropped } = toLyria(input, upstream);
    const { json } = await upstream.send(request);
    return { mime: 'audio/wav', audio: await startedSound(inOnePiece(soundIn(json))), usage: () => ({}), dropped };
  },
};

export function toLyria(
  { prompt, lyrics, format, seed, extra }: MusicCreate,
  { model, account }: Pick<Upstream, 'model' | 'account'>,
): { readonly request: UpstreamRequest; readonly dropped: readonly string[] } {
  if (format !== 'wav')
    throw new GatewayError('invalid_request', `response_format: this model makes no ${format}; possible is wav`, {
      param: 'response_format',
    });
  const sent = Object.entries(extra).filter(([name]) => FIELDS.has(name));
  return {
    request: {
      method: 'POST',
      path: vertexModel('google', model, 'predict', account.settings),
      json: {
        instances: [{ ...Object.fromEntries(sent), prompt, ...(seed !== undefined && { seed }) }],
        // One piece is usual; a number of pieces and a seed exclude each other.
        parameters: {},
      },
      firstByteSeconds: SECONDS,
    },
    dropped: [...Object.keys(defined({ lyrics })), ...Object.keys(extra).filter((name) => !FIELDS.has(name))],
  };
}

function soundIn(json: Json | undefined): Buffer {
  const text = textAt(json, 'predictions', 0, 'audioContent') ?? textAt(json, 'predictions', 0, 'bytesBase64Encoded');
  const bytes = Buffer.from(text ?? '', 'base64');
  if (bytes.byteLength > 0) return bytes;
  const reason = textAt(json, 'predictions', 0, 'raiFilteredReason');
  if (reason === undefined) throw malformedReply('it holds no sound');
  throw withheld('the vendor’s content rules refused the prompt', { vendorCode: reason, taken: 'no' });
}
