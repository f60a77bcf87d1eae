/** What is asked of MiMo (docs/wire/speech.md#mimo). */
import { isJsonObject, type JsonObject } from '@model-gateway/contracts';
import { defined, speechFormat, type SpeechCreate } from '@model-gateway/provider-kit';

const FORMATS = ['wav', 'mp3', 'pcm16'] as const;
type Format = (typeof FORMATS)[number];

export interface AskedSpeech {
  readonly body: JsonObject;
  readonly format: Format;
  /** Only raw samples can be streamed. */
  readonly stream: boolean;
  readonly dropped: readonly string[];
}

/** The text is the assistant's message, byte for byte: tags, spaces and all. Style is the user's. */
export function toMimoSpeech(input: SpeechCreate, model: string): AskedSpeech {
  const format = speechFormat(input, FORMATS);
  const stream = input.stream && format === 'pcm16';
  const style = styleOf(input);
  const { audio, ...extra } = input.extra;
  // Chat-completions is this vendor's own shape; what /v1/audio/speech adds to it is not.
  const foreign = input.shape === 'speech' ? Object.keys(extra) : [];
  return {
    body: {
      ...(input.shape === 'speech' ? {} : extra),
      model,
      messages: [
        ...(style === undefined ? [] : [{ role: 'user', content: style }]),
        { role: 'assistant', content: input.text },
      ],
      audio: {
        ...(isJsonObject(audio) ? audio : {}),
        ...defined({ format, voice: input.voice ?? defaultVoice(model) }),
      },
      ...(stream && { stream: true }),
    },
    format,
    stream,
    // A pace told in words is not quite the same as a setting.
    dropped: [...(isOrdinary(input.speed) ? [] : ['speed']), ...foreign],
  };
}

function styleOf(input: SpeechCreate): string | undefined {
  const pace = isOrdinary(input.speed) ? undefined : `Speak at ${input.speed ?? 1} times the usual speed.`;
  const words = [input.instructions, pace].filter((part) => part !== undefined);
  return words.length === 0 ? undefined : words.join('\n');
}

function isOrdinary(speed: number | undefined): boolean {
  return speed === undefined || speed === 1;
}

/** A designed voice is described by the style message and has no name; a cloned one is the caller's recording. */
function defaultVoice(model: string): string | undefined {
  return /voicedesign|voiceclone/.test(model) ? undefined : 'mimo_default';
}
