import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { OPERATIONS, type OperationFacts } from './index.ts';

const rows: [string, OperationFacts][] = Object.entries(OPERATIONS);

it('the table has every operation of the document, and no other', () => {
  const file = new URL('./generated/openapi.json', import.meta.url);
  const { paths } = JSON.parse(readFileSync(file, 'utf8')) as {
    paths: Record<string, Record<string, { operationId?: string }>>;
  };
  const documented = Object.entries(paths).flatMap(([path, item]) =>
    Object.entries(item).flatMap(([method, { operationId }]) =>
      operationId === undefined ? [] : [[operationId, method.toUpperCase(), path]],
    ),
  );
  expect(rows.map(([id, { method, path }]) => [id, method, path])).toEqual(documented);
  expect(readFileSync(file, 'utf8')).not.toContain('"x-gateway":');
});

it('whoever may send a body is told what becomes of a form', () => {
  const file = new URL('./generated/openapi.json', import.meta.url);
  const { paths } = JSON.parse(readFileSync(file, 'utf8')) as {
    paths: Record<string, Record<string, { responses?: Record<string, unknown> }>>;
  };
  // What is forwarded may be of any type: its vendor says which it takes.
  const silent = rows.filter(
    ([, { method, path, forwards }]) =>
      method !== 'GET' && forwards !== true && paths[path]?.[method.toLowerCase()]?.responses?.['415'] === undefined,
  );
  expect(silent.map(([id]) => id)).toEqual([]);
});

it('whatever a key asks somebody to do is limited; reading is not', () => {
  for (const [, { access, method, limited, model, forwards, paid }] of rows) {
    // What names a model in its query opens a socket, over which it is asked; what is forwarded is asked of a vendor by any method.
    expect(limited).toBe(access === 'key' && (method === 'POST' || model === 'query' || forwards === true || paid));
  }
});

it('what is paid can be asked for again without paying again, unless it is forwarded', () => {
  const all = rows.filter(([, facts]) => facts.paid);
  const paid = all.filter(([, { forwards }]) => forwards !== true).map(([id]) => id);
  expect(paid.sort()).toEqual(
    [
      ...[
        'createChatCompletion',
        'createCompletion',
        'createResponse',
        'compactResponse',
        'createMessage',
        'createImage',
        'createImageVariation',
        'editImage',
        'createSpeech',
        'createMusic',
      ],
      ...['generateContent', 'generateContentV1', 'streamGenerateContent', 'streamGenerateContentV1'],
      ...['createEmbedding', 'embedContent', 'embedContentV1', 'batchEmbedContents', 'batchEmbedContentsV1'],
      ...['createModeration', 'createRerank', 'createRerankV2', 'createEmbed', 'createEmbedV2'],
      ...['generateImages', 'generateImagesV1', 'generateImagesVertex'],
      ...['generateVideos', 'generateVideosV1', 'generateVideosVertex'],
      ...['createTranscription', 'createTranslation', 'createVideo', 'createVideoTask'],
      ...['remixVideo', 'editVideo', 'extendVideo'],
      ...['createCachedContent', 'createCachedContentV1', 'updateCachedContent', 'updateCachedContentV1'],
    ].sort(),
  );
  for (const [, { idempotent, forwards }] of all) expect(idempotent === undefined).toBe(forwards === true);
});

it('nothing of the admin API opens without the admin key', () => {
  for (const [, { access, path }] of rows) expect(access === 'admin').toBe(path.split('/')[1] === 'admin');
});
