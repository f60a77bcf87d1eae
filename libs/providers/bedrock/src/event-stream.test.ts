import { PassThrough, Readable } from 'node:stream';
import { setImmediate } from 'node:timers/promises';
import { EventStreamCodec } from '@smithy/core/event-streams';
import { describe, expect, it } from 'vitest';
import { GatewayError, type JsonObject } from '@model-gateway/contracts';
import { readSse } from '@model-gateway/provider-kit';
import { until } from '@model-gateway/testing';
import { ConverseEvents } from './converse-reply.ts';
import { FrameReader, sseOf } from './event-stream.ts';
import { bedrock } from './adapter.ts';

describe('a stream', () => {
  const codec = new EventStreamCodec(
    (bytes) => Buffer.from(bytes as Uint8Array).toString('utf8'),
    (text) => Buffer.from(text, 'utf8'),
  );
  const frame = (name: string, payload: object, isException = false): Buffer =>
    Buffer.from(
      codec.encode({
        headers: {
          ':message-type': { type: 'string', value: isException ? 'exception' : 'event' },
          [isException ? ':exception-type' : ':event-type']: { type: 'string', value: name },
        },
        body: Buffer.from(JSON.stringify(payload)),
      }),
    );
  const text = (contentBlockIndex: number, words: string) =>
    frame('contentBlockDelta', { contentBlockIndex, delta: { text: words } });
  const start = frame('messageStart', { role: 'assistant' });
  const stop = frame('messageStop', { stopReason: 'tool_use' });
  const metadata = frame('metadata', { usage: { inputTokens: 7, outputTokens: 2 } });
  const eventsOf = async (source: Readable): Promise<JsonObject[]> => {
    const events: JsonObject[] = [];
    for await (const { data } of readSse(sseOf(source, new ConverseEvents('m', 'msg_1'))))
      events.push(JSON.parse(data) as JsonObject);
    return events;
  };
  it('an exception ends it, though the answer had stopped', async () => {
    const exception = frame('modelStreamErrorException', { message: 'no usage' }, true);
    const events = await eventsOf(Readable.from([Buffer.concat([start, text(0, 'hi'), stop, exception, metadata])]));
    expect(events.at(-1)).toMatchObject({ type: 'error' });
    expect(events.map(({ type }) => type)).not.toContain('message_stop');
  });

  const whole = Buffer.concat([
    start,
    text(0, 'grüße 👋'),
    frame('contentBlockStop', { contentBlockIndex: 0 }),
    frame('contentBlockStart', { contentBlockIndex: 3, start: { toolUse: { toolUseId: 't', name: 'look' } } }),
    frame('contentBlockDelta', { contentBlockIndex: 3, delta: { toolUse: { input: '{"a":1}' } } }),
    frame('contentBlockStop', { contentBlockIndex: 3 }),
    stop,
    metadata,
  ]);
  const expected = [
    { type: 'message_start' },
    { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } },
    { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'grüße 👋' } },
    { type: 'content_block_stop', index: 0 },
    { type: 'content_block_start', index: 1, content_block: { type: 'tool_use', id: 't', name: 'look' } },
    { type: 'content_block_delta', index: 1, delta: { type: 'input_json_delta', partial_json: '{"a":1}' } },
    { type: 'content_block_stop', index: 1 },
    { type: 'message_delta', delta: { stop_reason: 'tool_use' }, usage: { input_tokens: 7, output_tokens: 2 } },
    { type: 'message_stop' },
  ];

  it.each([1, 5, 64, 1000, 100_000])('cut every %i bytes gives the same events', async (size) => {
    const pieces = Array.from({ length: Math.ceil(whole.length / size) }, (_, at) =>
      whole.subarray(at * size, (at + 1) * size),
    );
    expect(await eventsOf(Readable.from(pieces))).toMatchObject(expected);
  });

  it('shows the first event as soon as it came', async () => {
    const source = new PassThrough();
    const events = sseOf(source, new ConverseEvents('m', 'msg_1'));
    source.write(Buffer.concat([start, text(0, 'a')]));
    for await (const chunk of events) {
      expect(String(chunk)).toContain('message_start');
      break;
    }
    await until(() => source.destroyed);
  });

  it('that is left closes the vendor’s, though that is silent', async () => {
    const source = new PassThrough();
    const events = sseOf(source, new ConverseEvents('m', 'msg_1'));
    events.on('error', () => undefined).resume();
    await setImmediate();
    events.destroy();
    await until(() => source.destroyed);
  });

  it.each([
    ['throttlingException', 'rate_limit_error', 'upstream_rate_limited'],
    ['modelStreamErrorException', 'api_error', 'upstream_unavailable'],
    ['serviceUnavailableException', 'overloaded_error', 'upstream_unavailable'],
    ['modelTimeoutException', 'timeout_error', 'upstream_timeout'],
    ['validationException', 'invalid_request_error', 'invalid_request'],
  ])('broken off by %s says so, and no more', async (name, type, code) => {
    const events = await eventsOf(
      Readable.from([Buffer.concat([start, frame(name, { message: 'Sorry.' }, true), metadata])]),
    );
    expect(events.slice(1)).toEqual([{ type: 'error', error: { type, message: 'Sorry.' } }]);
    const reply = { status: 200, headers: {}, body: new Uint8Array(0), json: events[1] };
    expect(bedrock.readFault(reply)?.code).toBe(code);
  });

  it('that stops without its usage ends, and one that does not stop does not', async () => {
    expect((await eventsOf(Readable.from([start, text(0, 'a'), stop]))).at(-1)).toEqual({ type: 'message_stop' });
    expect((await eventsOf(Readable.from([start, text(0, 'a')]))).at(-1)).toMatchObject({
      type: 'content_block_delta',
    });
  });

  it.each([
    ['half a frame', whole.subarray(0, whole.length - 3)],
    ['a frame whose sum is wrong', Buffer.concat([start, Buffer.from(text(0, 'a')).fill(0x7a, 30, 32)])],
    ['what is no frame', Buffer.from('<html>this is no event stream at all</html>')],
  ])('of %s fails', async (_, bytes) => {
    const frames = await FrameReader.open();
    expect(() => {
      frames.push(bytes);
      frames.end();
    }).toThrow(GatewayError);
  });
});
