/** What another kind of model costs: its own files, and a line in at most six that were there. Each kind is held to the list. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';

const ROOT = fileURLToPath(new URL('../../..', import.meta.url));
const MOST = 6;

/** Those that every kind has a line in. Two more for what only some have: rows of the catalogue that are sold, and a command. */
const REGISTRIES = [
  'apps/gateway/config/catalogue.yaml',
  'apps/gateway/src/commands/program.ts',
  'apps/gateway/src/server/handlers.ts',
  'libs/client/src/client.ts',
  'libs/core/src/kinds/index.ts',
  'libs/provider-kit/src/provider-adapter.ts',
];

/** How a kind's own files and folders are called, and what gives it away elsewhere. */
const KINDS = [
  {
    kind: 'embedding',
    // Batches have lines that ask for vectors.
    own: /\/(?:embed[a-z-]*|[a-z-]*batches)[./]/,
    named: /embeddings|embeddingKind|EmbeddingAdapter|kind: embedding|EmbedCommand/i,
  },
  {
    kind: 'moderation',
    own: /\/moderat[a-z-]*[./]/,
    named: /moderations|moderationKind|ModerationAdapter|kind: moderation|ModerateCommand/i,
  },
  {
    kind: 'music',
    own: /\/music[a-z-]*[./]/,
    // ElevenLabs names a model so, in its twin.
    named: /music[./]|musicKind|MusicAdapter|kind: '?music|MusicCommand/i,
  },
  {
    kind: 'rerank',
    own: /\/rerank[a-z-]*[./]/,
    named: /rerank[./]|rerankKind|RerankAdapter|kind: '?rerank|RerankCommand/i,
  },
  {
    kind: 'transcription',
    own: /\/transcri[a-z-]*[./]/,
    named: /transcriptions|transcriptionKind|TranscriptionAdapter|kind: transcription|TranscribeCommand/i,
  },
] as const;

const PASSED_OVER = new Set(['node_modules', 'generated', 'dist', 'fixtures', 'test', 'testing', 'data', '.nx']);
/** Written by tools/settings.mjs. */
const WRITTEN = 'apps/gateway/config/gateway.schema.json';

const files = ['apps', 'libs'].flatMap(filesIn).map((path) => ({ path, text: readFileSync(join(ROOT, path), 'utf8') }));

it.each(KINDS)('$kind is its own files, and a line in six others', ({ own, named }) => {
  const others = files.filter(({ path, text }) => !own.test(path) && named.test(text)).map(({ path }) => path);
  expect(others).toEqual(REGISTRIES);
  expect(others.length).toBeLessThanOrEqual(MOST);
  expect(files.filter(({ path }) => own.test(path)).length).toBeGreaterThan(MOST);
});

function filesIn(folder: string): readonly string[] {
  return readdirSync(join(ROOT, folder), { withFileTypes: true })
    .toSorted((one, other) => (one.name < other.name ? -1 : 1))
    .flatMap((entry) => {
      const path = `${folder}/${entry.name}`;
      if (entry.isDirectory()) return PASSED_OVER.has(entry.name) ? [] : filesIn(path);
      return isSource(path) ? [path] : [];
    });
}

function isSource(path: string): boolean {
  return /\.(?:ts|tsx|mjs|yaml|json)$/.test(path) && !/\.test\.tsx?$/.test(path) && path !== WRITTEN;
}
