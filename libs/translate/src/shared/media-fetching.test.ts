/** Media by address for wires that take bytes: what is fetched for whom, and where it goes. */
import { expect, it } from 'vitest';
import type { JsonObject } from '@model-gateway/contracts';
import { dialects } from '../dialects.ts';
import type { Target } from '../dialect.ts';

const PDF = 'https://files.example.com/a.pdf';
const WAV = 'https://files.example.com/a.wav';
const PNG = 'https://files.example.com/a.png';
const target: Target = { model: 'v', provider: 'x' };

const fromGemini = dialects['gemini-generate'].decodeRequest(
  {
    contents: [
      {
        role: 'user',
        parts: [
          { fileData: { fileUri: PDF, mimeType: 'application/pdf' } },
          { fileData: { fileUri: WAV, mimeType: 'audio/wav' } },
          { fileData: { fileUri: PNG, mimeType: 'image/png' } },
          { text: 'look' },
        ],
      },
    ],
  },
  { model: 'm', stream: false },
);

it.each([
  ['openai-chat', {}, [PDF, WAV]],
  ['openai-chat', { quirks: { audio_urls: true } }, [PDF]],
  // What the model does not take is not fetched for it.
  ['openai-chat', { inputs: ['text', 'image'] }, []],
  ['openai-responses', {}, [WAV]],
  ['gemini-generate', {}, []],
  ['gemini-generate', { quirks: { media_urls: false } }, [PDF, WAV, PNG]],
  ['anthropic-messages', { quirks: { media_urls: false } }, [PDF, WAV, PNG]],
] as const)('%s with %j fetches %j', (to, more, urls) => {
  expect(dialects[to].media?.urls(fromGemini, { ...target, ...(more as Partial<Target>) })).toEqual(urls);
});

it('the bytes stand where the addresses stood', () => {
  const { media, encodeRequest } = dialects['openai-chat'];
  const pdf = Buffer.from('%PDF-1.4 x').toString('base64');
  const wav = Buffer.from('RIFF\u0000\u0000\u0000\u0000WAVEfmt ').toString('base64');
  const inlined = media?.inline(
    fromGemini,
    new Map([
      [PDF, { data: pdf, mime: 'application/pdf' }],
      [WAV, { data: wav, mime: 'audio/wav' }],
    ]),
  );
  if (inlined === undefined) throw new Error('no fetching');
  const [message] = encodeRequest(inlined, target).body['messages'] as JsonObject[];
  expect(message?.['content']).toEqual([
    { type: 'file', file: expect.objectContaining({ file_data: `data:application/pdf;base64,${pdf}` }) },
    { type: 'input_audio', input_audio: { data: wav, format: 'wav' } },
    { type: 'image_url', image_url: expect.objectContaining({ url: PNG }) },
    { type: 'text', text: 'look' },
  ]);
});

it('nothing is fetched twice, and a model without documents says so in the caller’s place', () => {
  const twice = { ...fromGemini, turns: [...fromGemini.turns, ...fromGemini.turns] };
  expect(dialects['openai-chat'].media?.urls(twice, target)).toEqual([PDF, WAV]);
  expect(() => dialects['openai-chat'].encodeRequest(fromGemini, { ...target, inputs: ['text', 'image'] })).toThrow(
    'contents[0].parts[0]',
  );
});
