/** Realtime events in OpenAI's form: what of them concerns whoever relays them. */
import { isJsonObject, type GatewayError, type Json, type JsonObject, type Usage } from '@model-gateway/contracts';
import { dialects } from '../dialects.ts';
import { usageInOpenAi } from './live-answer.ts';

/** What a session is told to be, as far as it matters for relaying it. */
export interface SessionView {
  /** Whether speech that is heard is answered without being asked to. */
  readonly answersSpeech: boolean;
  /** The model that writes down what is heard; undefined: none. */
  readonly transcriber: string | undefined;
  readonly mostOutput: number | undefined;
  /** Bytes of a second of sound that comes in. */
  readonly bytesPerSecond: number;
  readonly outputBytesPerSecond: number;
}

const PCM_BYTES_PER_SECOND = 48_000;
const TELEPHONE_BYTES_PER_SECOND = 8_000;

/** Reads a session as a vendor shows it. */
export function viewOf(session: JsonObject): SessionView {
  const input = objectAt(session, 'audio', 'input');
  const detection = input['turn_detection'];
  const transcriber = objectAt(input, 'transcription')['model'];
  const most = session['max_output_tokens'];
  return {
    answersSpeech: isJsonObject(detection) && detection['create_response'] !== false,
    transcriber: typeof transcriber === 'string' ? transcriber : undefined,
    mostOutput: typeof most === 'number' ? most : undefined,
    bytesPerSecond: bytesPerSecond(input),
    outputBytesPerSecond: bytesPerSecond(objectAt(session, 'audio', 'output')),
  };
}

function bytesPerSecond(sound: JsonObject): number {
  const type = objectAt(sound, 'format')['type'];
  return type === 'audio/pcmu' || type === 'audio/pcma' ? TELEPHONE_BYTES_PER_SECOND : PCM_BYTES_PER_SECOND;
}

/** The session with other names of models; the same object where it names none. */
export function withModels(
  session: JsonObject,
  nameOf: { readonly model: (name: string) => string; readonly transcriber: (name: string) => string },
): JsonObject {
  const { model, audio } = session;
  const input = objectAt(session, 'audio', 'input');
  const transcription = objectAt(input, 'transcription');
  const transcriber = transcription['model'];
  return {
    ...session,
    ...(typeof model === 'string' && { model: nameOf.model(model) }),
    ...(typeof transcriber === 'string' &&
      isJsonObject(audio) && {
        audio: {
          ...audio,
          input: { ...input, transcription: { ...transcription, model: nameOf.transcriber(transcriber) } },
        },
      }),
  };
}

/** What a response used, by its `response.done`; undefined where the vendor does not say. */
export function usageOfResponse(response: JsonObject): Usage | undefined {
  const { usage } = response;
  if (!isJsonObject(usage)) return undefined;
  const input = objectAt(usage, 'input_token_details');
  const cached = objectAt(input, 'cached_tokens_details');
  const output = objectAt(usage, 'output_token_details');
  return counts({
    inputTokens: usage['input_tokens'],
    cachedInputTokens: input['cached_tokens'],
    cachedInputAudioTokens: cached['audio_tokens'],
    cachedInputImageTokens: cached['image_tokens'],
    inputAudioTokens: input['audio_tokens'],
    inputImageTokens: input['image_tokens'],
    outputTokens: usage['output_tokens'],
    outputAudioTokens: output['audio_tokens'],
  });
}

/** What writing down an item used, by tokens or by its length. */
export function usageOfTranscription(event: JsonObject): Usage | undefined {
  const { usage } = event;
  if (!isJsonObject(usage)) return undefined;
  if (usage['type'] === 'duration') return counts({ seconds: usage['seconds'] });
  return counts({
    inputTokens: usage['input_tokens'],
    inputAudioTokens: objectAt(usage, 'input_token_details')['audio_tokens'],
    outputTokens: usage['output_tokens'],
  });
}

/** What a turn of Gemini Live used, by its `usageMetadata`. */
export function usageOfLive(usage: JsonObject): Usage | undefined {
  return usageOfResponse({ usage: usageInOpenAi(usage) });
}

function counts(given: Readonly<Partial<Record<keyof Usage, Json | undefined>>>): Usage {
  return Object.fromEntries(Object.entries(given).filter(([, count]) => typeof count === 'number' && count >= 0));
}

/** An `error` event. */
export function errorEvent(error: GatewayError, eventId: string, of: string | null = null): JsonObject {
  const { error: words } = dialects['openai-chat'].encodeError(error, '', error.status(false));
  return { type: 'error', event_id: eventId, error: { ...(isJsonObject(words) ? words : {}), event_id: of } };
}

/** A member of a member, as an object; empty where there is none. */
export function objectAt(value: JsonObject, ...path: readonly string[]): JsonObject {
  let found: JsonObject = value;
  for (const name of path) {
    const next = found[name];
    found = isJsonObject(next) ? next : {};
  }
  return found;
}
