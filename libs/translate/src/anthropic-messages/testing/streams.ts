/** Streams of Messages events, event by event, for the tests of this dialect. */
import type Anthropic from '@anthropic-ai/sdk';
import { MessageStream } from '@anthropic-ai/sdk/lib/MessageStream';
import { Stream } from '@anthropic-ai/sdk/core/streaming';
import { expect } from 'vitest';
import type { JsonObject } from '@model-gateway/contracts';
import type { ChatEvent } from '../../conversation.ts';
import { contextOf, encodeEvents, NO_REQUEST } from '../../laws.ts';
import { createSseParser } from '../../shared/sse.ts';
import { anthropicMessages } from '../index.ts';

export const context = contextOf(NO_REQUEST);

/** What the vendor's own SDK puts together from the stream. */
export async function sdkMessage(sse: string): Promise<Anthropic.Message> {
  const stream = Stream.fromSSEResponse<Anthropic.MessageStreamEvent>(new Response(sse), new AbortController());
  return MessageStream.fromReadableStream(stream.toReadableStream()).finalMessage();
}

/** The grammar of docs/wire/anthropic-messages.md#stream-grammar, to the letter. */
function checkGrammar(sse: string): void {
  let open: number | undefined;
  let next = 0;
  let stage: 'before' | 'inside' | 'delta' | 'over' = 'before';
  for (const event of createSseParser().push(Buffer.from(sse))) {
    if (event.event === 'ping') continue;
    const data = JSON.parse(event.data) as JsonObject;
    expect(data['type']).toBe(event.event);
    expect(stage).not.toBe('over');
    switch (event.event) {
      case 'message_start':
        expect(stage).toBe('before');
        stage = 'inside';
        break;
      case 'content_block_start':
        expect([stage, open, data['index']]).toEqual(['inside', undefined, next]);
        open = next;
        next += 1;
        break;
      case 'content_block_delta':
        expect(data['index']).toBe(open);
        break;
      case 'content_block_stop':
        expect(data['index']).toBe(open);
        open = undefined;
        break;
      case 'message_delta':
        expect([stage, open]).toEqual(['inside', undefined]);
        expect(typeof (data['usage'] as JsonObject)['output_tokens']).toBe('number');
        stage = 'delta';
        break;
      case 'message_stop':
        expect(stage).toBe('delta');
        stage = 'over';
        break;
      case 'error':
        stage = 'over';
        break;
      default:
        throw new Error(`no such event: ${event.event}`);
    }
  }
  expect(stage).toBe('over');
}

export function encode(events: readonly ChatEvent[]): string {
  const sse = encodeEvents(anthropicMessages, events, context);
  checkGrammar(sse);
  return sse;
}
