import { TEXT_COMPLETIONS, type JsonObject } from '@model-gateway/contracts';
import type { ChatDialect } from '../dialect.ts';
import { openAiChat } from '../openai-chat/index.ts';
import { objectOf } from '../shared/read.ts';
import { named, objectsOf, textsIn, textsOf, type DialectTexts, type Shape } from '../shared/texts.ts';
import { quirk } from '../shared/translation.ts';
import { capEdits, readCost } from './cost.ts';
import { decodeReply, encodeReply } from './reply.ts';
import { decodeRequest, encodeRequest } from './request.ts';
import { createStreamDecoder, createStreamEncoder } from './stream.ts';
import { OPENAI_PROMPT_CACHE, openAiPromptParts } from '../shared/prompt-parts.ts';

const CHOICE: Shape = { none: ['finish_reason', 'stop_reason', 'logprobs', 'token_ids', 'prompt_logprobs'] };
const BESIDE_TEXT: Shape = { none: [...(CHOICE.none ?? []), 'text'] };

const texts: DialectTexts = {
  inRequest: (body) => textsOf(body, { prompt: 'words', suffix: 'words' }),
  inDeclarations: () => [],
  inReply: (body) => textsOf(body, { choices: CHOICE }),
  inEvent(data) {
    const choices = objectsOf(data['choices']);
    const lane = (choice: JsonObject, at: number): string => named(choice['index'], at);
    return {
      pieces: choices.flatMap((choice, at) =>
        textsOf(choice, { text: 'words' }).map((place) => ({ ...place, of: 'text', lane: lane(choice, at) })),
      ),
      wholes: choices.flatMap((choice) => textsIn(choice, BESIDE_TEXT, 'choices')),
      closes: choices.flatMap((choice, at) => ((choice['finish_reason'] ?? null) === null ? [] : [lane(choice, at)])),
    };
  },
  dropTokens(data, isChanged) {
    let isDropped = false;
    for (const choice of objectsOf(data['choices'])) {
      const { text } = choice;
      const logprobs = objectOf(choice['logprobs']);
      if (logprobs === undefined) continue;
      const { tokens } = logprobs;
      if (!isChanged && Array.isArray(tokens) && tokens.map((token) => named(token)).join('') === named(text)) continue;
      choice['logprobs'] = null;
      isDropped = true;
    }
    return isDropped;
  },
};

/** Errors, usage and the way of streams are those of chat completions; conversations, files and tools there are none. */
const { media: _media, mcp: _mcp, ...shared } = openAiChat;

/** OpenAI's text completions, the older sister of chat completions, and whoever fills in the middle of a text (docs/wire/completions.md). */
export const openAiCompletions: ChatDialect = {
  ...shared,
  name: TEXT_COMPLETIONS,
  readCost,
  capEdits,
  prefix: ({ prompt, prompt_cache_key: key }) => ({ key, head: [], first: prompt }),
  isRewritten: (target) => quirk(target, 'completion_answers') === 'chat',
  promptParts: (body) => openAiPromptParts(body, [{ name: 'prompt', kind: 'messages', value: body['prompt'] }]),
  promptCache: OPENAI_PROMPT_CACHE,
  decodeRequest,
  encodeRequest,
  decodeReply,
  encodeReply,
  picturesByAddress: true,
  streamDecoder: createStreamDecoder,
  streamEncoder: createStreamEncoder,
  texts,
  vendorIds: { inRequest: () => [], onlyHere: [], isKept: () => false, inReply: () => [], eventNames: [] },
  forwarding: {
    ...openAiChat.forwarding,
    outputNames: ['text"'],
    mediaNames: [],
    asksForThoughts: () => false,
  },
};
