/** What is asked of OpenAI's audio endpoints, and what is made of their answers. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { TranscriptEvent, TranscriptionCreate } from '@model-gateway/provider-kit';
import { startScriptedVendor, type ScriptedReply, type ScriptedVendor } from '@model-gateway/testing';
import { openai } from './openai.ts';
import { toOpenAiTranscription, transcriptions } from './transcriptions.ts';

const input: TranscriptionCreate = {
  task: 'transcribe',
  file: {
    filename: 'audio.wav',
    mime: 'audio/wav',
    size: 3,
    open: async function* () {
      yield Buffer.from('abc');
    },
  },
  seconds: 2,
  form: 'json',
  granularities: [],
  include: [],
  extra: [],
};

describe('the form', () => {
  const fieldsOf = (more: Partial<TranscriptionCreate>, stream = false) =>
    toOpenAiTranscription({ ...input, ...more }, { model: 'whisper-1' }, stream).form?.flatMap((part) =>
      'value' in part ? [[part.name, part.value]] : [],
    );

  it('has what was said, and lists once for each value', () => {
    expect(
      fieldsOf({
        form: 'verbose_json',
        temperature: '0',
        granularities: ['word', 'segment'],
        extra: [
          ['x', '1'],
          ['x', '2'],
        ],
      }),
    ).toEqual([
      ['model', 'whisper-1'],
      ['response_format', 'verbose_json'],
      ['temperature', '0'],
      ['timestamp_granularities[]', 'word'],
      ['timestamp_granularities[]', 'segment'],
      ['x', '1'],
      ['x', '2'],
    ]);
  });

  it('has nothing that was not said', () => {
    expect(fieldsOf({ include: ['logprobs'] }, true)).toEqual([
      ['model', 'whisper-1'],
      ['response_format', 'json'],
      ['include[]', 'logprobs'],
      ['stream', 'true'],
    ]);
  });
});

describe('answers', () => {
  let reply: ScriptedReply = {};
  let vendor: ScriptedVendor;
  beforeAll(async () => {
    vendor = await startScriptedVendor(() => reply);
  });
  afterAll(() => vendor.close());

  it('an empty text is a text, none is a fault', async () => {
    reply = { json: { text: '' } };
    const told = await transcriptions.transcribe(input, vendor.upstream(openai));
    expect(told).toEqual({ body: { text: '' }, usage: {}, dropped: [] });
    reply = { json: { words: [] } };
    await expect(transcriptions.transcribe(input, vendor.upstream(openai))).rejects.toMatchObject({
      code: 'upstream_malformed',
    });
  });

  it('a stream without its last event has broken off', async () => {
    reply = {
      headers: { 'content-type': 'text/event-stream' },
      text: 'data: {"type":"transcript.text.delta","delta":"a"}\n\n',
    };
    const events: TranscriptEvent[] = [];
    const reading = (async () => {
      for await (const event of transcriptions.stream(input, vendor.upstream(openai))) events.push(event);
    })();
    await expect(reading).rejects.toMatchObject({ code: 'upstream_unavailable' });
    expect(events.map(({ type }) => type)).toEqual(['started', 'delta']);
  });
});
