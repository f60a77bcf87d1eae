/** What a session has heard, said and used so far: what turns are quoted by, and what they cost when they are cut. */
import type { JsonObject, Usage } from '@model-gateway/contracts';
import type { TurnOutlook } from '@model-gateway/core';
import type { SessionView } from '@model-gateway/translate';

/** As OpenAI counts them. */
const HEARD_PER_SECOND = 10;
const SPOKEN_PER_SECOND = 20;
const CHARACTERS_PER_TOKEN = 4;
const BASE64 = 3 / 4;

/** What one response has said. */
export interface Said {
  audioBytes: number;
  characters: number;
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

/** Adds what an event of a response says. */
export function addSaid(said: Said, { type, delta }: JsonObject): void {
  if (typeof delta !== 'string') return;
  if (type === 'response.output_audio.delta') said.audioBytes += delta.length * BASE64;
  else said.characters += delta.length;
}

/** Adds the sound of an event that was not read. */
export function addUnread(said: Said, text: string): void {
  const start = text.indexOf('"', text.indexOf('"delta":') + DELTA.length) + 1;
  said.audioBytes += Math.max(0, text.indexOf('"', start) - start) * BASE64;
}

const DELTA = '"delta":';
