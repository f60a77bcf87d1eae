/** What is masked in a request for vectors is masked in all of it. */
import { expect, it } from 'vitest';
import type { JsonObject } from '@model-gateway/contracts';
import type { ModelRow } from '../../catalogue.ts';
import { embeddingsOfContent, embeddingsOfContents, embeddingsOfInput, embeddingsOfTexts } from './embedding-body.ts';
import { embeddingTexts } from './texts.ts';

const ROW = { code: 'm', limits: {} } as unknown as ModelRow;
const PICTURE = { type: 'image_url', image_url: { url: 'data:image/png;base64,iVBORw0KGgo=' } };
const mask = (text: string): string => text.replace(/\d+/g, '***');

it.each<readonly [name: string, read: typeof embeddingsOfInput, body: JsonObject, masked: JsonObject]>([
  ['a text', embeddingsOfInput, { input: 'call 555', z: null }, { input: 'call ***', z: null }],
  ['texts', embeddingsOfInput, { input: ['call 555', 'b'] }, { input: ['call ***', 'b'] }],
  [
    'an object',
    embeddingsOfInput,
    { input: [{ lang: 'en', text: 'call 555' }, 'b'] },
    { input: [{ lang: 'en', text: 'call ***' }, 'b'] },
  ],
  [
    'a content',
    embeddingsOfContent,
    { content: { role: 'user', parts: [{ text: 'call' }, { inlineData: {} }, { text: '555' }] }, title: '7' },
    { content: { role: 'user', parts: [{ text: 'call\n***' }, { inlineData: {} }] }, title: '***' },
  ],
  [
    'contents',
    embeddingsOfContents,
    { requests: [{ content: { parts: [{ text: '555' }] } }, { content: { parts: [{ text: 'b' }] } }], z: 1 },
    { requests: [{ content: { parts: [{ text: '***' }] } }, { content: { parts: [{ text: 'b' }] } }], z: 1 },
  ],
  [
    'a text and a picture',
    embeddingsOfInput,
    { input: [{ content: [{ type: 'text', text: 'call 555' }, PICTURE] }] },
    { input: [{ content: [{ type: 'text', text: 'call ***' }, PICTURE] }] },
  ],
  ['texts of Cohere’s form', embeddingsOfTexts, { texts: ['call 555', 'b'] }, { texts: ['call ***', 'b'] }],
  [
    'inputs of Cohere’s form',
    embeddingsOfTexts,
    { inputs: [{ content: [PICTURE, { type: 'text', text: '555' }] }], z: 1 },
    { inputs: [{ content: [{ type: 'text', text: '***' }, PICTURE] }], z: 1 },
  ],
])('%s', (_name, read, body, masked) => {
  const create = read(body, ROW);
  expect(embeddingTexts.map(create, (text) => text)).toBe(create);
  const found = embeddingTexts.map(create, mask);
  expect(found.body).toEqual(masked);
  // Nothing of what was masked is left anywhere: what is sent, and what answers are kept by.
  expect(JSON.stringify(found)).not.toMatch(/555|"7"/);
});
