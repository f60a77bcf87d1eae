import type { Talk } from './talk.ts';

/** About what a tokenizer would count: a token for four characters, or for one beyond Latin. */
export function tokensOf(text: string): number {
  let wide = 0;
  for (let at = 0; at < text.length; at += 1) if (text.charCodeAt(at) > 0x2e7f) wide += 1;
  return Math.ceil((text.length - wide) / 4) + wide;
}

const PER_TURN = 4;
const PER_IMAGE = 85;
const PER_DOCUMENT = 250;
const PER_AUDIO = 60;

/** Tokens of everything the model reads. */
export function inputTokens(talk: Talk): number {
  let sum = tokensOf(talk.system) + 3;
  for (const turn of talk.turns) {
    sum +=
      PER_TURN +
      tokensOf(turn.text) +
      turn.images * PER_IMAGE +
      turn.documents * PER_DOCUMENT +
      turn.audios * PER_AUDIO;
    for (const result of turn.results) sum += PER_TURN + tokensOf(result.text);
  }
  for (const tool of talk.tools) sum += 8 + tokensOf(tool.name) + tokensOf(JSON.stringify(tool.schema));
  return sum;
}
