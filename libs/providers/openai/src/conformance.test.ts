import { readFileSync } from 'node:fs';
import type { Json } from '@model-gateway/contracts';
import { describeImageAdapter, describeSpeechAdapter, PIXEL } from '@model-gateway/testing';
import { openai } from './openai.ts';

const refused = readFileSync(new URL('../fixtures/images-generate.moderation.400.json', import.meta.url), 'utf8');
const moderation = { status: 400, body: JSON.parse(refused) as Json };

describeImageAdapter(openai, 'openai', {
  model: 'gpt-image-2',
  input: { size: '1536x1024' },
  makes: { width: 1536, height: 1024 },
  moderation,
});

describeImageAdapter(openai, 'openai', {
  model: 'gpt-image-2',
  operation: 'edit',
  input: { shape: 'edit', size: '1024x1024', images: [{ url: `data:image/png;base64,${PIXEL}`, param: 'image' }] },
  makes: { width: 1024, height: 1024 },
  moderation,
});

describeSpeechAdapter(openai, 'openai', {
  model: 'gpt-4o-mini-tts',
  input: { shape: 'speech', voice: 'coral' },
  json: false,
  moderation: {
    status: 400,
    body: { error: { message: 'No.', type: 'x', param: 'input', code: 'content_policy_violation' } },
  },
});
