import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import type { Catalogue, Offer } from '@model-gateway/core';
import { vendors } from '../adapters.ts';
import { buildCatalogue, type TwinLookup } from './catalogue.ts';
import { readConfig } from './config.ts';

const folder = mkdtempSync(join(tmpdir(), 'gateway-catalogue-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function catalogueOf(yaml: string, twin?: TwinLookup): Catalogue {
  const file = join(folder, 'gateway.yaml');
  writeFileSync(file, yaml);
  return buildCatalogue(readConfig({ GATEWAY_CONFIG: file }), vendors, twin);
}

/** The offer of a chat model at an account that is given as the rest of its row. */
function offerOf(account: string, quirks = '{}'): Offer | undefined {
  const catalogue = catalogueOf(`extends: none\naccounts: [{ id: 1, name: up, ${account}, credentials: { api_key: k } }]
models: [{ code: m, kind: chat, price: { input: 1 }, offers: [{ account: up, model: m, dialect: openai-chat, quirks: ${quirks} }] }]`);
  return catalogue.models.get('m')?.offers[0];
}

it.each([
  { account: 'vendor: openai', base: 'https://api.openai.com/v1' },
  { account: 'vendor: openai, wire: xai', base: 'https://api.x.ai/v1' },
  { account: 'vendor: openai-compatible, settings: { wire: xai }', base: 'https://api.x.ai/v1' },
  { account: 'vendor: mimo', base: 'https://api.xiaomimimo.com/v1' },
  { account: "vendor: openai-compatible, base_url: 'http://127.0.0.1:8000/v1/'", base: 'http://127.0.0.1:8000/v1' },
])('$account is asked at $base', ({ account, base }) => {
  expect(offerOf(account)?.account.baseUrl).toBe(base);
});

it('OpenAI has fine points that no other server of its wires is taken to have; an offer may say otherwise', () => {
  const openai = { max_tokens_field: 'max_completion_tokens', custom_tools: true, video_input: false };
  expect(offerOf('vendor: openai')?.quirks).toMatchObject(openai);
  // Accounts of earlier configurations: another address changes nothing.
  expect(offerOf("vendor: openai, base_url: 'https://api.deepseek.com/v1'")?.quirks).toMatchObject(openai);
  expect(offerOf('vendor: openai', '{ custom_tools: false }')?.quirks).toEqual({
    ...offerOf('vendor: openai')?.quirks,
    custom_tools: false,
  });
  expect(offerOf("vendor: openai-compatible, base_url: 'https://api.deepseek.com/v1'")?.quirks).toEqual({});
  expect(offerOf('vendor: ark')?.quirks).toEqual({});
});

it('who answers is the vendor, unless a compatible server’s account names its maker', () => {
  const url = "vendor: openai-compatible, base_url: 'https://api.deepseek.com/v1'";
  expect(offerOf(`${url}, settings: { provider: deepseek }`)?.account).toMatchObject({ provider: 'deepseek' });
  expect(offerOf(url)?.account.provider).toBeUndefined();
  const gemini =
    catalogueOf(`extends: none\naccounts: [{ id: 1, name: up, vendor: gemini, credentials: { api_key: k } }]
models: [{ code: m, kind: chat, price: { input: 1 }, offers: [{ account: up, model: m, dialect: gemini-generate }] }]`);
  expect(gemini.accounts[0]).toMatchObject({ telemetryName: 'gcp.gemini' });
});

it('the twin is asked whom it stands in for: once per vendor and wire, by the words of the account', () => {
  const asked: unknown[] = [];
  const twin: TwinLookup = (vendor, wire) => {
    asked.push([vendor, wire]);
    return wire === 'kie' ? undefined : { baseUrl: 'http://127.0.0.1:1', credentials: {} };
  };
  const catalogue = buildCatalogue(readConfig({}), vendors, twin);
  expect(asked).toContainEqual(['openai-compatible', 'xai']);
  expect(asked).toContainEqual(['openai-compatible', undefined]);
  const names = catalogue.accounts.filter(({ twin: isTwin }) => isTwin).map(({ name }) => name);
  expect(new Set(names).size).toBe(names.length);
  expect(names).toContain('twin openai-compatible xai');
  expect(names).toContain('twin openai-compatible xai for live keys');
  expect(names).not.toContain('twin veo kie');
});

it('what hanging up does is a fact of the vendor, and the operator’s word goes before it', () => {
  const left = (account: string): string => {
    const yaml = `extends: none\naccounts: [{ id: 1, name: up, ${account}, credentials: { api_key: k } }]`;
    const { chatStreams, others } = catalogueOf(yaml).accounts[0]?.onDisconnect ?? {};
    return `${chatStreams} ${others}`;
  };
  const at = (url: string, more = ''): string => `vendor: openai-compatible, base_url: '${url}'${more}`;
  const streamsStop = [
    'vendor: openai',
    'vendor: anthropic',
    "vendor: openai, base_url: 'https://mine.openai.azure.com/openai/v1'",
    "vendor: openai, base_url: 'http://127.0.0.1:9/v1'",
    at('https://api.x.ai/v1'),
    at('https://api.deepseek.com/v1'),
    at('https://api.fireworks.ai/inference/v1'),
    at('https://api.together.xyz/v1'),
    at('https://api.cohere.com/v2'),
    at('https://api.novita.ai/v3/openai'),
    at('https://api.deepinfra.com/v1/openai'),
    at('https://api.cloudflare.com/client/v4/accounts/x/ai/v1'),
    at('http://127.0.0.1:9/v1', ', settings: { provider: deepseek }'),
  ];
  const billedOn = [
    'vendor: gemini',
    'vendor: dashscope',
    'vendor: minimax',
    'vendor: mimo',
    'vendor: ark',
    "vendor: openai, base_url: 'https://api.groq.com/openai/v1'",
    at('https://api.groq.com/openai/v1'),
    at('https://bedrock-runtime.us-east-1.amazonaws.com/openai/v1'),
    at('https://api.mistral.ai/v1'),
    at('https://router.huggingface.co/v1'),
    at('https://api.perplexity.ai'),
    at('https://api.ai21.com/studio/v1'),
    at('https://api.sambanova.ai/v1'),
    at('https://api.studio.nebius.com/v1'),
    at('https://dashscope-intl.aliyuncs.com/compatible-mode/v1'),
    at('http://127.0.0.1:9/v1', ', settings: { provider: groq }'),
    // Whom nobody knows.
    at('https://models.example/v1'),
    at('https://notapi.x.ai.example/v1'),
  ];
  const own = ['http://localhost:11434/v1', 'http://10.1.2.3:8000/v1', 'http://[::1]:8000/v1', 'http://vllm:8000/v1'];
  expect(streamsStop.filter((each) => left(each) !== 'abort drain')).toEqual([]);
  expect(billedOn.filter((each) => left(each) !== 'drain drain')).toEqual([]);
  expect(own.filter((each) => left(at(each)) !== 'abort abort')).toEqual([]);
  for (const account of ['vendor: openai', 'vendor: gemini', at('http://localhost:1/v1')]) {
    expect(left(`${account}, on_disconnect: drain`)).toBe('drain drain');
    expect(left(`${account}, on_disconnect: abort`)).toBe('abort abort');
    expect(left(`${account}, on_disconnect: auto`)).toBe(left(account));
  }
});
