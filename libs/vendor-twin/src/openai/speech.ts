import type { Exchange } from '../core/exchange.ts';
import { withoutMarkers } from '../core/markers.ts';
import type { Route } from '../core/vendor.ts';
import { tokensOf } from '../chat/talk.ts';
import { sendSound } from '../media/sound.ts';
import { mimeOf, SPEECH_FORMATS, type SpeechSpec } from '../media/spec.ts';
import { secondsOf } from '../media/speech.ts';
import { badRequest, complainAsOpenAi, openAiError, refuseUnknownModel, standardHeaders } from './errors.ts';

const VOICES = 'alloy ash ballad coral echo fable nova onyx sage shimmer verse marin cedar'.split(' ');
const FIELDS = new Set(['model', 'input', 'voice', 'instructions', 'response_format', 'speed', 'stream_format']);
const PIECE = 8192;

export const speechRoute: Route = { method: 'POST', path: '/v1/audio/speech', operation: 'speech', handle: speech };

/** `POST /audio/speech`: bytes as they are made, or events. */
async function speech(exchange: Exchange): Promise<void> {
  const body = exchange.json(complainAsOpenAi);
  body.only(FIELDS);
  const model = body.string('model');
  refuseUnknownModel(model);
  const older = /^tts-1/.test(model);
  const input = body.string('input', 4096);
  const voice = readVoice(body.value['voice']);
  const format = body.optionalOneOf('response_format', SPEECH_FORMATS) ?? 'mp3';
  const speed = body.optionalNumber('speed', 0.25, 4) ?? 1;
  const asEvents = body.optionalOneOf('stream_format', ['sse', 'audio'] as const) === 'sse';
  if (older && (asEvents || body.has('instructions'))) {
    const name = asEvents ? 'stream_format' : 'instructions';
    throw badRequest(
      `Unsupported parameter: '${name}' is not supported with this model.`,
      name,
      'unsupported_parameter',
    );
  }
  const markers = await exchange.obey(input);
  if (markers.words.has('refuse'))
    throw badRequest('Your request was rejected by the safety system.', 'input', 'content_policy_violation');
  const spec: SpeechSpec = { kind: 'speech', text: withoutMarkers(input), voice, format, sung: false, speed };
  const file = await exchange.stage.media.file(spec);
  const seconds = secondsOf(spec);
  const usage = { input: tokensOf(input), output: Math.ceil(seconds * 20) };
  exchange.record({
    kind: 'speech',
    model,
    stream: asEvents,
    aborted: false,
    billed: {
      inputTokens: usage.input,
      outputTokens: usage.output,
      outputAudioTokens: usage.output,
      characters: input.length,
      seconds,
    },
  });
  await (asEvents
    ? sendEvents(exchange, file, usage)
    : sendSound(exchange, file, { ...standardHeaders(exchange), 'content-type': mimeOf(spec) }));
}

function readVoice(voice: unknown): string {
  if (typeof voice === 'string' && VOICES.includes(voice)) return voice;
  if (typeof voice === 'object' && voice !== null && 'id' in voice && typeof voice.id === 'string') return voice.id;
  if (voice === undefined)
    throw badRequest("Missing required parameter: 'voice'.", 'voice', 'missing_required_parameter');
  throw badRequest(`Invalid value for 'voice': expected one of ${VOICES.join(', ')}.`, 'voice', 'invalid_value');
}

async function sendEvents(
  exchange: Exchange,
  file: Buffer,
  usage: { readonly input: number; readonly output: number },
): Promise<void> {
  const error = `event: error\ndata: ${JSON.stringify({ type: 'error', error: openAiError(500) })}\n\n`;
  const events = exchange.events(
    { ...standardHeaders(exchange), 'content-type': 'text/event-stream; charset=utf-8' },
    error,
  );
  const send = async (event: { readonly type: string } & Readonly<Record<string, unknown>>): Promise<boolean> =>
    events.send(`event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`);
  for (let at = 0; at < file.length; at += PIECE) {
    const audio = file.subarray(at, at + PIECE).toString('base64');
    if (!(await send({ type: 'speech.audio.delta', audio }))) return;
  }
  const { input, output } = usage;
  await send({
    type: 'speech.audio.done',
    usage: { input_tokens: input, output_tokens: output, total_tokens: input + output },
  });
  events.end();
}
