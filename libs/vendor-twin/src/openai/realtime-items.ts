import type { JsonObject } from '@model-gateway/contracts';
import { plainTurn, tokensOf, type Turn } from '../chat/talk.ts';
import { samplesOf } from '../chat/hearing.ts';
import type { Reader } from '../core/reader.ts';
import { requireImageUrl } from './errors.ts';

/** What a second of sound is counted as. */
export const TOKENS_PER_SECOND = { heard: 10, spoken: 20 } as const;
const PER_IMAGE = 85;
const SAMPLE_RATE = 24_000;

/** Tokens by what they stand for. */
export interface Counted {
  readonly text: number;
  readonly audio: number;
  readonly image: number;
}

export const NOTHING: Counted = { text: 0, audio: 0, image: 0 };

export function sumOf(all: readonly Counted[]): Counted {
  return all.reduce(
    (sum, each) => ({ text: sum.text + each.text, audio: sum.audio + each.audio, image: sum.image + each.image }),
    NOTHING,
  );
}

/** One item of a conversation. */
export interface Item {
  readonly id: string;
  /** As it is sent. */
  readonly shown: JsonObject;
  readonly counted: Counted;
  /** What it is for the twin's one brain; absent: instructions. */
  readonly turn: Turn | undefined;
  readonly instructions?: string;
  readonly callId?: string;
}

const MESSAGE = new Set(['id', 'type', 'object', 'status', 'role', 'content']);
const CALL = new Set(['id', 'type', 'object', 'status', 'name', 'arguments', 'call_id']);
const RESULT = new Set(['id', 'type', 'object', 'status', 'call_id', 'output']);

/** Reads an item that a client made. Throws the vendor's refusal for the first thing that is wrong. */
export function readItem(body: Reader, newId: string, nameOf: (callId: string) => string | undefined): Item {
  const id = body.optionalString('id', 64) ?? newId;
  const type = body.oneOf('type', ['message', 'function_call', 'function_call_output'] as const);
  const shown = { id, object: 'realtime.item', ...body.value, status: 'completed' };
  if (type === 'message') return { id, ...readMessage(body, shown) };
  body.only(type === 'function_call' ? CALL : RESULT);
  const callId = body.string('call_id', 64);
  if (type === 'function_call') {
    const words = `${body.string('name')}${body.string('arguments')}`;
    return { id, shown, counted: { ...NOTHING, text: tokensOf(words) }, turn: plainTurn('assistant', ''), callId };
  }
  const name = nameOf(callId) ?? body.fail('call_id', 'the id of a call in the conversation');
  const text = body.optionalString('output') ?? body.fail('output', 'a string', 'missing');
  return {
    id,
    shown,
    counted: { ...NOTHING, text: tokensOf(text) },
    turn: { ...plainTurn('user', ''), results: [{ name, text, isError: false }] },
  };
}

function readMessage(body: Reader, shown: JsonObject): Omit<Item, 'id'> {
  body.only(MESSAGE);
  const role = body.oneOf('role', ['user', 'assistant', 'system'] as const);
  const texts: string[] = [];
  let images = 0;
  let audios = 0;
  let audioTokens = 0;
  body.array('content');
  for (const part of body.objects('content')) {
    const type = part.oneOf('type', PARTS[role]);
    if (type === 'input_image') {
      requireImageUrl(part.string('image_url'), 'item.content[0].image_url');
      images += 1;
    } else if (type === 'input_audio') {
      const samples = samplesOf(Buffer.from(part.string('audio'), 'base64'));
      audios += 1;
      audioTokens += Math.ceil((samples.length / SAMPLE_RATE) * TOKENS_PER_SECOND.heard);
    } else if (type === 'output_audio') texts.push(part.optionalString('transcript') ?? '');
    else texts.push(part.string('text'));
  }
  const text = texts.join('\n');
  const counted = { text: tokensOf(text), audio: audioTokens, image: images * PER_IMAGE };
  if (role === 'system') return { shown, counted, turn: undefined, instructions: text };
  return { shown, counted, turn: { ...plainTurn(role, text), images, audios } };
}

const PARTS = {
  user: ['input_text', 'input_audio', 'input_image'],
  assistant: ['output_text', 'output_audio'],
  system: ['input_text'],
} as const;
