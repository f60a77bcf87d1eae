import { describe, expect, it, vi } from 'vitest';
import type { DialectName, JsonObject } from '@model-gateway/contracts';
import { dialects } from '@model-gateway/translate';
import type { ModelRow, Offer } from '../../catalogue.ts';
import { parametersOf } from './parameters.ts';

const offer = (dialect: DialectName, quirks: JsonObject = {}): Offer =>
  ({
    account: { vendor: 'a-vendor' },
    model: 'm',
    dialects: [dialect],
    priority: 0,
    weight: 1,
    quirks,
  }) as unknown as Offer;
const row = (...offers: readonly Offer[]): ModelRow => ({
  code: 'm',
  kind: 'chat',
  offers,
  price: {},
  limits: {},
  voices: [],
  created: 0,
  description: '',
});
const ALL = ['temperature', 'top_p', 'reasoning_effort', 'tools', 'response_format'];

describe('the parameters that a model takes', () => {
  it('are all where nothing says otherwise', () => {
    expect(parametersOf(row(offer('openai-chat')))).toEqual(ALL);
    expect(parametersOf(row(offer('gemini-generate')))).toEqual(ALL);
  });

  it('are what is left by the quirks of its offer, on its own wire and on others', () => {
    const noReasoning = ALL.filter((name) => name !== 'reasoning_effort');
    expect(parametersOf(row(offer('openai-chat', { thinking: 'none' })))).toEqual(noReasoning);
    expect(parametersOf(row(offer('gemini-generate', { thinking: 'none' })))).toEqual(noReasoning);
    // Anthropic's newer models refuse sampling.
    expect(parametersOf(row(offer('anthropic-messages')))).toEqual(['reasoning_effort', 'tools', 'response_format']);
    expect(parametersOf(row(offer('anthropic-messages', { thinking: 'budget' })))).toEqual(ALL);
  });

  it('are those that one of its offers takes', () => {
    expect(parametersOf(row(offer('anthropic-messages'), offer('openai-chat', { thinking: 'none' })))).toEqual(ALL);
  });

  it('are found out once for all offers of one kind', () => {
    const encode = vi.spyOn(dialects['anthropic-messages'], 'encodeRequest');
    const kind = { thinking: 'budget', web_search_tool: 'web_search_of_this_test' };
    const rows = (quirks: JsonObject, limits: JsonObject = {}) =>
      Array.from({ length: 200 }, (_, at) => ({
        ...row({ ...offer('anthropic-messages', quirks), model: `m${at}` }),
        code: `row-${at}`,
        limits,
      }));
    for (const each of rows(kind)) expect(parametersOf(each)).toEqual(ALL);
    expect(encode).toHaveBeenCalledTimes(ALL.length);
    // Each of what tells kinds apart makes another.
    for (const each of rows({ ...kind, sampling: false })) expect(parametersOf(each)).not.toContain('top_p');
    for (const each of rows(kind, { max_output_tokens: 4096 })) parametersOf(each);
    for (const each of rows(kind, { inputs: ['text'] })) parametersOf(each);
    expect(encode).toHaveBeenCalledTimes(4 * ALL.length);
    encode.mockRestore();
  });
});
