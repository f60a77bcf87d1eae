/** Forty questions of readers, each with the page that must be among the first three: by the script that the browser runs, over the index that it loads. */
import { readFileSync } from 'node:fs';
import { createContext, runInContext } from 'node:vm';
import { expect, it } from 'vitest';
import type { ApiDocument } from './document.ts';
import { createPortal } from './index.ts';

const document = JSON.parse(
  readFileSync(new URL('../../../libs/contracts/src/generated/openapi.json', import.meta.url), 'utf8'),
) as ApiDocument;
const portal = createPortal({ document });
/** Where the scripts of the page run: they get a window, and no page. */
const browser = createContext({});
runInContext('var window = this, self = this;', browser);
for (const file of ['minisearch.js', 'search-index.js', 'search-ranking.js'])
  runInContext(portal.file(`assets/${file}`)?.body ?? '', browser, { filename: file });

interface Found {
  readonly kind: string;
  readonly to: string;
  readonly title: string;
}
const find = runInContext('window.createSearch(window.MiniSearch, window.SEARCH)', browser) as (
  asked: string,
) => readonly Found[];

const QUESTIONS: readonly (readonly [asked: string, page: string])[] = [
  ['add a model', 'guides/add-a-server'],
  ['add a server', 'guides/add-a-server'],
  ['add an account', 'guides/add-a-server'],
  ['add a vendor', 'guides/add-a-server'],
  ['claude code', 'guides/tools'],
  ['codex', 'guides/tools'],
  ['gemini cli', 'guides/tools'],
  ['cursor', 'guides/tools'],
  ['cline', 'guides/tools'],
  ['open webui', 'guides/tools'],
  ['librechat', 'guides/tools'],
  ['n8n', 'guides/tools'],
  ['langchain', 'guides/tools'],
  ['vercel ai sdk', 'guides/tools'],
  ['vscode', 'guides/tools'],
  ['budget', 'guides/limits'],
  ['spending limit', 'guides/limits'],
  ['rate limit', 'guides/limits'],
  ['fallback', 'guides/routing-fallbacks'],
  ['failover', 'guides/routing-fallbacks'],
  ['load balancing', 'guides/routing-load-balancing'],
  ['timeout', 'guides/routing-retries'],
  ['hedging', 'guides/routing-hedging'],
  ['sticky sessions', 'guides/routing-affinity'],
  ['retry', 'guides/errors'],
  ['azure', 'guides/configuration'],
  ['ollama', 'guides/local-servers'],
  ['vllm', 'guides/local-servers'],
  ['lm studio', 'guides/local-servers'],
  ['llama.cpp', 'guides/local-servers'],
  ['local model', 'guides/local-servers'],
  ['bedrock', 'guides/configuration'],
  ['docker', 'guides/deploy'],
  ['kubernetes', 'guides/deploy'],
  ['helm', 'guides/deploy'],
  ['k8s', 'guides/deploy'],
  ['install', 'guides/deploy'],
  ['getting started', 'guides/quick-start'],
  ['api key', 'guides/limits'],
  ['virtual keys', 'guides/limits'],
  ['billing', 'guides/money'],
  ['pricing', 'guides/money'],
  ['cost', 'guides/money'],
  ['prometheus', 'guides/observability'],
  ['metrics', 'guides/observability'],
  ['tracing', 'guides/observability'],
  ['logs', 'guides/observability'],
  ['cache', 'guides/response-cache'],
  ['pii', 'guides/guardrails'],
  ['sse', 'guides/streaming'],
  ['tool calling', 'guides/chat'],
  ['function calling', 'guides/chat'],
  ['structured output', 'guides/chat'],
  ['text to speech', 'guides/speech'],
  ['tts', 'guides/speech'],
  ['whisper', 'guides/transcription'],
  ['speech to text', 'guides/transcription'],
  ['image generation', 'guides/images'],
  ['sora', 'catalogue'],
  ['vectors', 'guides/embeddings'],
  ['sso', 'guides/console'],
  ['backup', 'guides/operations'],
  ['upgrade', 'guides/operations'],
  ['postgres', 'guides/operations'],
  ['environment variables', 'guides/settings'],
  ['config file', 'guides/configuration'],
  ['litellm', 'guides/migrating-litellm'],
  ['openrouter', 'guides/migrating-openrouter'],
  ['cli', 'guides/commands'],
  ['admin api', 'guides/operations'],
  ['dashboard', 'guides/console'],
  ['webhook', 'guides/webhooks'],
  ['mock', 'guides/twin'],
  ['pytest', 'guides/twin'],
  ['offline tests', 'guides/twin'],
  ['fault injection', 'guides/twin'],
  ['helm', 'guides/deploy'],
  ['argo cd', 'guides/deploy'],
  ['429', 'guides/errors'],
];

it.each(QUESTIONS)('%s: %s', (asked, page) => {
  const first = find(asked)
    .slice(0, 3)
    .map(({ to }) => to.replace(/#.*$/, ''));
  expect(first).toContain(page);
});

it.each([
  ['generate_audio', 'field'],
  ['task_not_exist', 'error'],
  ['createVideoTask', 'operation'],
  ['doubao-seedance-2-0-fast', 'model'],
])('%s, typed by its name, is a %s', (asked, kind) => {
  expect(find(asked)[0]).toMatchObject({ kind });
});

it('a page goes ahead of fields of the same name', () => {
  for (const asked of ['webhook', 'images', 'speech']) {
    const kinds = find(asked).map(({ kind }) => kind);
    expect(kinds.indexOf('page')).toBe(0);
    expect(kinds).toContain('field');
  }
});
