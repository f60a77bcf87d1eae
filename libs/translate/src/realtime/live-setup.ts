/** A session in OpenAI's words as the setup of Gemini Live (docs/wire/realtime.md#gemini-live). */
import { isJsonObject, type Json, type JsonObject } from '@model-gateway/contracts';
import { objectAt } from './events.ts';

/** Voices that only OpenAI has; any other is taken for one of Google's. */
const OPENAI_VOICES = new Set('alloy ash ballad coral echo sage shimmer verse marin cedar'.split(' '));
const PCM: JsonObject = { type: 'audio/pcm', rate: 24_000 };
const DETECTION: JsonObject = {
  ...{ type: 'server_vad', threshold: 0.5, prefix_padding_ms: 300, silence_duration_ms: 500, idle_timeout_ms: null },
  ...{ create_response: true, interrupt_response: true },
};

/** What a session is before its client has said anything, as OpenAI shows it. */
export function newLiveSession(id: string, model: string, expiresAt: number): JsonObject {
  return {
    ...{ object: 'realtime.session', id, type: 'realtime', model, expires_at: expiresAt, include: null },
    ...{ output_modalities: ['audio'], instructions: '', tools: [], tool_choice: 'auto', max_output_tokens: 'inf' },
    ...{ tracing: null, truncation: 'auto', prompt: null },
    audio: {
      input: { format: PCM, transcription: null, noise_reduction: null, turn_detection: DETECTION },
      output: { format: PCM, voice: null, speed: 1 },
    },
  };
}

/** The session after an update. */
export function withUpdate(session: JsonObject, update: JsonObject): JsonObject {
  const audio = objectAt(session, 'audio');
  const input = objectAt(update, 'audio', 'input');
  const detection = input['turn_detection'];
  return {
    ...session,
    ...update,
    audio: {
      input: {
        ...objectAt(audio, 'input'),
        ...input,
        ...(isJsonObject(detection) && { turn_detection: { ...DETECTION, ...detection } }),
      },
      output: { ...objectAt(audio, 'output'), ...objectAt(update, 'audio', 'output') },
    },
  };
}

/** Whether the client says itself when somebody speaks. */
export function isManual(session: JsonObject): boolean {
  return !isJsonObject(objectAt(session, 'audio', 'input')['turn_detection']);
}

/** The first message to the vendor; `handle` goes on from an earlier connection. */
export function setupOf(session: JsonObject, model: string, handle: string | undefined): JsonObject {
  const { instructions, output_modalities: modalities, max_output_tokens: most } = session;
  const input = objectAt(session, 'audio', 'input');
  const { voice } = objectAt(session, 'audio', 'output');
  const declarations = session['tool_choice'] === 'none' ? [] : declarationsOf(session['tools']);
  return {
    model: model.includes('/') ? model : `models/${model}`,
    generationConfig: {
      responseModalities: [Array.isArray(modalities) && modalities[0] === 'text' ? 'TEXT' : 'AUDIO'],
      ...(typeof most === 'number' && { maxOutputTokens: most }),
      ...(typeof voice === 'string' &&
        !OPENAI_VOICES.has(voice) && {
          speechConfig: { voiceConfig: { prebuiltVoiceConfig: { voiceName: voice } } },
        }),
    },
    ...(typeof instructions === 'string' &&
      instructions !== '' && { systemInstruction: { parts: [{ text: instructions }] } }),
    ...(declarations.length > 0 && { tools: [{ functionDeclarations: declarations }] }),
    realtimeInputConfig: listeningOf(input['turn_detection']),
    ...(isJsonObject(input['transcription']) && { inputAudioTranscription: {} }),
    outputAudioTranscription: {},
    sessionResumption: handle === undefined ? {} : { handle },
    // Without it a session of sound ends after a quarter of an hour.
    contextWindowCompression: { slidingWindow: {} },
  };
}

function declarationsOf(tools: Json | undefined): JsonObject[] {
  if (!Array.isArray(tools)) return [];
  return tools.filter(isJsonObject).flatMap(({ type, name, description, parameters }) =>
    type !== 'function' || typeof name !== 'string'
      ? []
      : [
          {
            name,
            ...(typeof description === 'string' && { description }),
            ...(isJsonObject(parameters) && { parametersJsonSchema: parameters }),
          },
        ],
  );
}

function listeningOf(detection: Json | undefined): JsonObject {
  if (!isJsonObject(detection)) return { automaticActivityDetection: { disabled: true } };
  const { silence_duration_ms: silence, prefix_padding_ms: padding, interrupt_response: interrupts } = detection;
  return {
    automaticActivityDetection: {
      ...(typeof silence === 'number' && { silenceDurationMs: silence }),
      ...(typeof padding === 'number' && { prefixPaddingMs: padding }),
    },
    ...(interrupts === false && { activityHandling: 'NO_INTERRUPTION' }),
  };
}
