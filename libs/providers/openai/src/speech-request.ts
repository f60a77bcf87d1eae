/** What is asked of /audio/speech (docs/wire/speech.md#openai-speech-endpoint). */
import { GatewayError, type JsonObject } from '@model-gateway/contracts';
import { defined, type SpeechCreate, type Upstream } from '@model-gateway/provider-kit';

const MOST_CHARACTERS = 4096;
const DEFAULT_VOICE = 'alloy';

/** Formats whose pieces may follow each other in one file. */
const JOINABLE = new Set(['pcm16', 'mp3', 'aac', 'wav']);

/** One request's body. `instructions` mean nothing to the tts-1 family. */
export function toOpenAiSpeech(
  input: SpeechCreate,
  piece: { readonly text: string; readonly format: string },
  { model, quirks }: Pick<Upstream, 'model' | 'quirks'>,
): { readonly body: JsonObject; readonly dropped: readonly string[] } {
  const deaf = model.startsWith('tts-1') && input.instructions !== undefined;
  const own = input.shape === 'speech';
  // How the caller wants the answer framed is the gateway's affair.
  const extra = Object.fromEntries(Object.entries(input.extra).filter(([name]) => name !== 'stream_format'));
  const streamFormat = quirks['stream_format'] === 'sse' ? 'sse' : input.stream ? 'audio' : undefined;
  return {
    body: {
      ...(own ? extra : {}),
      ...defined({
        model,
        input: piece.text,
        voice: input.voice ?? DEFAULT_VOICE,
        instructions: deaf ? undefined : input.instructions,
        response_format: piece.format === 'pcm16' ? 'pcm' : piece.format,
        speed: input.speed,
        stream_format: streamFormat,
      }),
    },
    dropped: [...(deaf ? ['instructions'] : []), ...(own ? [] : Object.keys(extra))],
  };
}

const SINGING = /^[(（](?:唱歌|sing|singing)[)）]/i;
const STYLE_TAG = /^[(（][^()（）]{1,60}[)）]/;
const INLINE_TAG = /\[[^[\]]{1,40}\]|（[^（）]{1,40}）/;

/**
 * Throws 400 for tags this vendor would read aloud: singing anywhere, and every tag in a chat request, whose contract has them. In
 * /v1/audio/speech parentheses are punctuation.
 */
export function refuseTags(input: SpeechCreate): void {
  const chat = input.shape !== 'speech';
  const tag = SINGING.exec(input.text) ?? (chat ? (STYLE_TAG.exec(input.text) ?? INLINE_TAG.exec(input.text)) : null);
  if (tag === null) return;
  const param = chat ? 'messages' : 'input';
  throw new GatewayError(
    'invalid_request',
    `${param}: this model knows no audio tags such as ${tag[0]}; say how to speak in ${chat ? 'a user message' : 'instructions'}`,
    { param },
  );
}

/** The text in pieces the vendor takes, cut after a sentence, else at a space; joined they are the text. 400 where pieces of sound cannot be joined. */
export function piecesOf(input: SpeechCreate, format: string, quirks: JsonObject): readonly string[] {
  const said = quirks['max_characters'];
  const most = typeof said === 'number' ? said : MOST_CHARACTERS;
  if (input.text.length <= most) return [input.text];
  if (!JOINABLE.has(format)) {
    const param = input.shape === 'speech' ? 'input' : 'messages';
    throw new GatewayError(
      'invalid_request',
      `${param}: ${format} can be made of at most ${most} characters, the text has ${input.text.length}; mp3, wav and pcm have no such limit`,
      { param },
    );
  }
  const pieces: string[] = [];
  for (let rest = input.text; rest !== '';) {
    const piece = rest.length <= most ? rest : rest.slice(0, cutOf(rest.slice(0, most)));
    pieces.push(piece);
    rest = rest.slice(piece.length);
  }
  return pieces;
}

const SENTENCE_END = /[.!?…]["'”’)\]]*\s+|[。！？\n]+/g;

function cutOf(window: string): number {
  for (const end of [SENTENCE_END, /\s+/g]) {
    const last = [...window.matchAll(end)].at(-1);
    if (last !== undefined) return last.index + last[0].length;
  }
  // Never between the halves of one character.
  const code = window.charCodeAt(window.length - 1);
  return code >= 0xd800 && code <= 0xdbff ? window.length - 1 : window.length;
}
