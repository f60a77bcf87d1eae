/** What a session has heard, said and used so far: what turns are quoted by, and what they cost when they are cut. */
import { isJsonObject, type JsonObject, type Usage } from '@model-gateway/contracts';
import type { TurnOutlook } from '@model-gateway/core';
import type { SessionView } from '@model-gateway/translate';

/** As OpenAI counts them. */
const HEARD_PER_SECOND = 10;
const SPOKEN_PER_SECOND = 20;
const CHARACTERS_PER_TOKEN = 4;
const BASE64 = 3 / 4;
/** As in other conversations. */
const TOKENS_PER_PICTURE = 2_000;
/** Of a stream of pictures, as Google counts them. */
export const TOKENS_PER_FRAME = 258;

/** Where the base64 of pictures or sound begins. Quotes inside a text are escaped: what is quoted there is read as text. */
const MEDIA = /(?<!\\)"(?:audio" ?: ?"|data" ?: ?"|data:(image)\/[^",]{0,100};base64,)/g;
/** In `data`, what it is says the member beside it. */
const TYPE = /"mime_?type" ?: ?"(image|audio\/pcm)/i;
/** Of the members beside `data`. */
const BESIDE = 200;
/** What is shorter makes no difference. */
const SHORTEST = 256;
const NOT_BASE64 = /[^\w+/=\\-]/;

/** What one response has said. */
export interface Said {
  audioBytes: number;
  characters: number;
}

export function newSaid(): Said {
  return { audioBytes: 0, characters: 0 };
}

export class SessionAccount {
  #contextTokens = 0;
  #cachedTokens = 0;
  #textTokens = 0;
  #audioBytes = 0;
  /** Since something was committed. */
  #uncommitted = 0;

  /** The client has sent sound, in base64. */
  hear(base64: number): void {
    this.#audioBytes += base64 * BASE64;
    this.#uncommitted += base64 * BASE64;
  }

  /** The client has sent something that is read. */
  read(characters: number): void {
    this.#textTokens += Math.ceil(characters / CHARACTERS_PER_TOKEN);
  }

  /** The client has sent a message: what it has of pictures and sound is counted as that, the rest is read. */
  readMessage(text: string, tokensPerPicture = TOKENS_PER_PICTURE): void {
    let characters = text.length;
    for (const { what, length } of mediaIn(text)) {
      const asText = Math.ceil(length / CHARACTERS_PER_TOKEN);
      if (what === 'image') this.#textTokens += Math.min(asText, tokensPerPicture);
      else this.#audioBytes += length * BASE64;
      characters -= length;
    }
    this.read(characters);
  }

  /** What was not committed is no part of the conversation. */
  forgetSound(): void {
    this.#audioBytes = Math.max(0, this.#audioBytes - this.#uncommitted);
    this.#uncommitted = 0;
  }

  /** Seconds of sound since the last time. */
  commit({ bytesPerSecond }: SessionView): number {
    const seconds = this.#uncommitted / bytesPerSecond;
    this.#uncommitted = 0;
    return seconds;
  }

  /** A vendor has counted. */
  counted({ inputTokens = 0, outputTokens = 0 }: Usage): void {
    this.#contextTokens = inputTokens + outputTokens;
    this.#cachedTokens = inputTokens;
    this.#textTokens = 0;
    this.#audioBytes = 0;
  }

  outlook({ mostOutput, bytesPerSecond }: SessionView): TurnOutlook {
    return {
      contextTokens: this.#contextTokens,
      textTokens: this.#textTokens,
      audioTokens: this.#audioTokens(bytesPerSecond),
      mostOutput,
    };
  }

  /** What a response has used that is cut now; undefined while it has said nothing. */
  used({ audioBytes, characters }: Said, { bytesPerSecond, outputBytesPerSecond }: SessionView): Usage | undefined {
    if (audioBytes === 0 && characters === 0) return undefined;
    const heard = this.#audioTokens(bytesPerSecond);
    const spoken = Math.ceil((audioBytes / outputBytesPerSecond) * SPOKEN_PER_SECOND);
    return {
      inputTokens: this.#contextTokens + this.#textTokens + heard,
      cachedInputTokens: this.#cachedTokens,
      inputAudioTokens: heard,
      outputTokens: spoken + Math.ceil(characters / CHARACTERS_PER_TOKEN),
      outputAudioTokens: spoken,
      estimated: true,
    };
  }

  #audioTokens(bytesPerSecond: number): number {
    return Math.ceil((this.#audioBytes / bytesPerSecond) * HEARD_PER_SECOND);
  }
}

/** The base64 of pictures and sound in a message, from its opening quote to its closing one: each letter is looked at once. */
function* mediaIn(text: string): Generator<{ readonly what: 'image' | 'sound'; readonly length: number }> {
  const media = new RegExp(MEDIA);
  for (let found = media.exec(text); found !== null; found = media.exec(text)) {
    const { index, 0: opening, 1: inUrl } = found;
    const start = media.lastIndex;
    const end = text.indexOf('"', start);
    if (end < 0) return;
    media.lastIndex = end;
    if (end - start < SHORTEST) continue;
    const what = inUrl ?? (opening.startsWith('"audio') ? 'audio/pcm' : typeBeside(text, index, end));
    if (what === undefined || NOT_BASE64.test(text.slice(start, end))) continue;
    yield { what: what === 'image' ? 'image' : 'sound', length: end - start };
  }
}

/** In the object that a member stands in. */
function typeBeside(text: string, start: number, end: number): string | undefined {
  const before = text.slice(Math.max(0, start - BESIDE), start);
  const [after = ''] = text.slice(end, end + BESIDE).split('}', 1);
  return TYPE.exec(before.slice(before.lastIndexOf('{') + 1) + after)?.[1]?.toLowerCase();
}

/** Adds what an event of a response says. */
export function addSaid(said: Said, { type, delta }: JsonObject): void {
  if (typeof delta !== 'string') return;
  if (type === 'response.output_audio.delta') said.audioBytes += delta.length * BASE64;
  else said.characters += delta.length;
}

/** Adds what a part of a turn says in Google’s words. */
export function addPart(said: Said, { inlineData, text }: JsonObject): void {
  const data = isJsonObject(inlineData) ? inlineData['data'] : undefined;
  if (typeof data === 'string') said.audioBytes += data.length * BASE64;
  if (typeof text === 'string') said.characters += text.length;
}

/** Adds the sound of an event that was not read. */
export function addUnread(said: Said, text: string): void {
  const start = text.indexOf('"', text.indexOf('"delta":') + DELTA.length) + 1;
  said.audioBytes += Math.max(0, text.indexOf('"', start) - start) * BASE64;
}

const DELTA = '"delta":';
