/** A request for text completions and the middle form: its prompt is the one message of the user (docs/wire/completions.md#request). */
import { TEXT_COMPLETIONS, type Json, type JsonObject } from '@model-gateway/contracts';
import type { ChatRequest, Unportable } from '../conversation.ts';
import type { Encoded, Target } from '../dialect.ts';
import { readCount, readStop } from '../openai-chat/decode-request.ts';
import { createDropped } from '../shared/dropped.ts';
import {
  invalid,
  optional,
  present,
  readBoolean,
  readInteger,
  readName,
  readNumber,
  readObject,
  readString,
  unknownFields,
  wrongKind,
} from '../shared/read.ts';
import { carriedExtra, quirk } from '../shared/translation.ts';

const KNOWN: ReadonlySet<string> = new Set([
  ...['model', 'prompt', 'suffix', 'echo', 'best_of', 'stream', 'stream_options', 'max_tokens', 'temperature', 'top_p'],
  ...['top_k', 'stop', 'presence_penalty', 'frequency_penalty', 'seed', 'n', 'logprobs', 'logit_bias', 'user'],
]);

/** Throws GatewayError `invalid_request` naming the place. What chat models cannot do with it is marked `unportable`. */
export function decodeRequest(value: Json): ChatRequest {
  const body = readObject(value, '');
  const read = <T>(key: string, reader: (value: Json | undefined, place: string) => T): T | undefined =>
    optional(body, key, reader, '');
  const prompt = onePromptIn(body['prompt']);
  const logprobs = read('logprobs', readLogprobs);
  const echo = read('echo', readBoolean) === true;
  const streamOptions = read('stream_options', readObject) ?? {};
  const unportable = chatCannot(body, { prompt, echo, logprobs });
  const part = { type: 'text' as const, text: prompt ?? '', place: 'prompt' };
  return present({
    dialect: 'openai-completions' as const,
    model: readName(body['model'], 'model'),
    stream: read('stream', readBoolean) ?? false,
    streamUsage: optional(streamOptions, 'include_usage', readBoolean, 'stream_options'),
    system: [],
    turns: [{ role: 'user' as const, parts: [part], place: 'prompt' }],
    tools: [],
    maxOutputTokens: read('max_tokens', readInteger),
    stop: read('stop', readStop),
    temperature: read('temperature', readNumber),
    topP: read('top_p', readNumber),
    topK: read('top_k', readNumber),
    presencePenalty: read('presence_penalty', readNumber),
    frequencyPenalty: read('frequency_penalty', readNumber),
    seed: read('seed', readInteger),
    count: read('n', readCount),
    logprobs: logprobs === undefined ? undefined : true,
    topLogprobs: logprobs === 0 ? undefined : logprobs,
    logitBias: read('logit_bias', readObject),
    user: read('user', readString),
    completion: present({
      prompt: body['prompt'] ?? undefined,
      suffix: read('suffix', readString),
      echo: echo ? true : undefined,
      bestOf: read('best_of', readInteger),
    }),
    extra: unknownFields(body, KNOWN),
    unportable: unportable.length === 0 ? undefined : unportable,
  });
}

/** The prompt where it is one text; undefined where there are several, or tokens, or none. */
function onePromptIn(prompt: Json | undefined): string | undefined {
  if (typeof prompt === 'string') return prompt;
  return Array.isArray(prompt) && prompt.length === 1 && typeof prompt[0] === 'string' ? prompt[0] : undefined;
}

interface Asked {
  readonly prompt: string | undefined;
  readonly echo: boolean;
  readonly logprobs: number | undefined;
}

/** What no chat model does: leaving it out would give another answer than the one that was asked for. */
function chatCannot(body: JsonObject, { prompt, echo, logprobs }: Asked): readonly Unportable[] {
  const found: Unportable[] = [];
  const told = (field: string, reason: string): number => found.push({ field, reason });
  if (prompt === undefined) told('prompt', promptReason(body['prompt']));
  else if (prompt === '') told('prompt', 'must not be empty: this model answers messages');
  if ((body['suffix'] ?? '') !== '')
    told('suffix', 'this model answers messages and cannot fill in a text; name one that completes texts');
  const [best, count] = [body['best_of'] ?? 1, body['n'] ?? 1];
  if (best !== 1 && best !== count) told('best_of', 'this model does not choose among answers; leave it out');
  if (echo && logprobs !== undefined) told('echo', 'this model gives no log probabilities of a prompt');
  if (body['max_tokens'] === 0)
    told('max_tokens', 'must be 1 or more: this model gives no log probabilities of a prompt');
  return found;
}

function promptReason(prompt: Json | undefined): string {
  if (prompt === undefined || prompt === null) return 'is missing: this model answers messages; send a text';
  const isTexts = Array.isArray(prompt) && prompt.length > 0 && prompt.every((each) => typeof each === 'string');
  return isTexts
    ? 'this model answers one prompt at a time; send one request for each'
    : 'this model has other tokens; send the prompt as text';
}

function readLogprobs(value: Json | undefined, place: string): number | undefined {
  // As chat completions write it.
  if (typeof value === 'boolean') return value ? 0 : undefined;
  return readInteger(value, place);
}

/** Throws `invalid_request` for a conversation: a model that only completes texts has no messages. */
export function encodeRequest(request: ChatRequest, target: Target): Encoded {
  const { completion } = request;
  if (request.dialect !== TEXT_COMPLETIONS || completion === undefined)
    throw invalid('model', 'this model completes text and does not answer messages; use /v1/completions');
  const dropped = createDropped();
  // Who answers in the form of chat completions says the usage of a stream at its end, and knows no such option.
  const tellsUsage = quirk(target, 'stream_options') === false || quirk(target, 'completion_answers') === 'chat';
  const seedField = quirk(target, 'seed_field');
  const body = present({
    ...carriedExtra(request, TEXT_COMPLETIONS, dropped),
    model: target.model,
    prompt: promptOf(request),
    suffix: completion.suffix,
    echo: completion.echo,
    best_of: completion.bestOf,
    stream: request.stream ? true : undefined,
    stream_options: request.stream && !tellsUsage ? { include_usage: true } : undefined,
    max_tokens: request.maxOutputTokens,
    temperature: request.temperature,
    top_p: request.topP,
    top_k: request.topK,
    stop: request.stop === undefined ? undefined : [...request.stop],
    presence_penalty: request.presencePenalty,
    frequency_penalty: request.frequencyPenalty,
    seed: seedField === undefined ? request.seed : undefined,
    random_seed: seedField === 'random_seed' ? request.seed : undefined,
    n: request.count,
    logprobs: request.logprobs === true ? (request.topLogprobs ?? 0) : undefined,
    logit_bias: request.logitBias,
    user: request.user,
  });
  return { body, dropped: dropped.list, target };
}

/** As the caller wrote it; behind it what another model had said before its answer broke off. */
function promptOf({ completion, turns }: ChatRequest): Json | undefined {
  const said = turns.flatMap((turn) => (turn.role === 'assistant' ? turn.parts : []));
  const prompt = completion?.prompt;
  if (said.length === 0) return prompt;
  const text = onePromptIn(prompt);
  if (text === undefined) throw wrongKind(prompt, 'prompt', 'one text, so that another model can go on with it');
  return text + said.map((part) => (part.type === 'text' ? part.text : '')).join('');
}
