import { expect, it } from 'vitest';
import { likelyKind } from './index.ts';

it.each([
  ['gpt-5.2', 'chat'],
  ['llama3.2:3b', 'chat'],
  ['text-embedding-3-small', 'embedding'],
  ['nomic-embed-text:latest', 'embedding'],
  ['multimodal-image-embedding', 'embedding'],
  ['bge-m3', 'embedding'],
  ['bge-reranker-v2-m3', 'rerank'],
  ['lyria-002', 'music'],
  ['eleven_text_to_sound_v2', 'music'],
  ['omni-moderation-latest', 'moderation'],
  ['whisper-1', 'transcription'],
  ['gpt-4o-mini-transcribe', 'transcription'],
  ['gpt-4o-mini-tts', 'speech'],
  ['gpt-realtime-mini', 'realtime'],
  ['gpt-image-2', 'image'],
  ['sora-2-pro', 'video'],
])('%s is of kind %s', (name, kind) => {
  expect(likelyKind(name)).toBe(kind);
});
