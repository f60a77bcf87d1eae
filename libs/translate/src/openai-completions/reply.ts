/** Whole text completions, both ways, by way of chat completions (docs/wire/completions.md#answer). */
import { isJsonObject, type Json, type JsonObject } from '@model-gateway/contracts';
import { imageText } from '../anthropic-messages/write-block.ts';
import type { AssistantPart, ChatChoice, ChatReply } from '../conversation.ts';
import type { Encoded, ReplyContext } from '../dialect.ts';
import { decodeReply as decodeChatReply, FINISH_WORDS } from '../openai-chat/reply.ts';
import { withPrefix } from '../shared/ids.ts';
import { arrayOf, objectOf, objectsOf, present, textOf } from '../shared/read.ts';
import { toChatUsage } from '../shared/usage.ts';

/** Throws as the chat dialect does. Answers in the form of chat completions are understood as they are: Mistral gives these. */
export function decodeReply(body: Json, sent?: Encoded): ChatReply {
  return decodeChatReply(isJsonObject(body) ? asChat(body, 'message') : body, sent);
}

/** An answer or a piece of one as chat completions have it. */
export function asChat(body: JsonObject, member: 'message' | 'delta'): JsonObject {
  const { choices } = body;
  if (!Array.isArray(choices)) return body;
  return { ...body, choices: choices.map((choice) => choiceAsChat(choice, member)) };
}

function choiceAsChat(choice: Json, member: 'message' | 'delta'): Json {
  if (!isJsonObject(choice) || typeof choice['text'] !== 'string') return choice;
  const { text, logprobs, ...rest } = choice;
  const tokens = chatTokens(objectOf(logprobs) ?? {});
  return {
    ...rest,
    [member]: { role: 'assistant', content: text },
    ...(tokens.length > 0 && { logprobs: { content: tokens } }),
  };
}

/** Lists beside each other, as one list. A token without a likelihood is the first of a prompt. */
function chatTokens(logprobs: JsonObject): JsonObject[] {
  const likely = arrayOf(logprobs['token_logprobs']);
  const others = arrayOf(logprobs['top_logprobs']);
  return arrayOf(logprobs['tokens']).map((token, at) => ({
    token,
    logprob: likely[at] ?? null,
    bytes: null,
    top_logprobs: Object.entries(objectOf(others[at]) ?? {}).map(([other, logprob]) => ({
      token: other,
      logprob,
      bytes: null,
    })),
  }));
}

/** Tokens as this wire lists them, the first at the character `start` of the text. */
export function toLogprobs(tokens: readonly Json[], start: number): JsonObject | null {
  if (tokens.length === 0) return null;
  let offset = start;
  const listed = objectsOf([...tokens]).map((each) => {
    const token = textOf(each['token']) ?? '';
    const place = offset;
    offset += token.length;
    const top = objectsOf(each['top_logprobs']).map((other) => [
      textOf(other['token']) ?? '',
      other['logprob'] ?? null,
    ]);
    return { token, place, logprob: each['logprob'] ?? null, top: Object.fromEntries(top) as JsonObject };
  });
  return {
    tokens: listed.map(({ token }) => token),
    token_logprobs: listed.map(({ logprob }) => logprob),
    top_logprobs: listed.some(({ top }) => Object.keys(top).length > 0) ? listed.map(({ top }) => top) : null,
    text_offset: listed.map(({ place }) => place),
  };
}

/** Writes an answer. */
export function encodeReply(reply: ChatReply, context: ReplyContext): JsonObject {
  const echo = echoOf(context);
  return present({
    id: replyId(reply.id, context),
    object: 'text_completion',
    created: reply.created ?? context.now,
    model: context.model,
    choices: reply.choices.map((choice, index) => encodeChoice(choice, index, echo)),
    usage: reply.usage === undefined ? undefined : toChatUsage(reply.usage),
  });
}

function encodeChoice({ parts, stop }: ChatChoice, index: number, echo: string): JsonObject {
  const tokens = parts.flatMap((part) => (part.type === 'text' ? (part.logprobs ?? []) : []));
  return {
    text: echo + parts.map(wordsOf).join(''),
    index,
    logprobs: toLogprobs(tokens, echo.length),
    finish_reason: finishWord(stop),
  };
}

/** What is read of a part: its text; a picture as Markdown. What the model thought, and calls, have no place here. */
function wordsOf(part: AssistantPart): string {
  if (part.type === 'text' || part.type === 'refusal') return part.text;
  return part.type === 'image' ? imageText(part) : '';
}

/** Nobody has tools here, whatever a model says. */
export function finishWord(stop: ChatChoice['stop']): string {
  return stop === 'tool-calls' ? 'stop' : FINISH_WORDS[stop];
}

/** What stands before the answer: the prompt, where it is asked for and the vendor has not written it. */
export function echoOf({ request }: ReplyContext): string {
  const { completion, turns } = request;
  const [first] = turns;
  const [part] = completion?.echo === true && first?.role === 'user' ? first.parts : [];
  return part?.type === 'text' ? part.text : '';
}

export function replyId(id: string | undefined, context: ReplyContext): string {
  return id?.startsWith('cmpl-') === true ? id : withPrefix('cmpl-', context.id);
}
