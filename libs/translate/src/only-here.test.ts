/** What core leaves to a translation to refuse, the translation refuses: else it would be dropped in silence. */
import { describe, expect, it } from 'vitest';
import type { ChatFormat, JsonObject } from '@model-gateway/contracts';
import { dialects } from './index.ts';

const BODIES: Readonly<Record<ChatFormat, JsonObject>> = {
  'openai-chat': { model: 'm', messages: [{ role: 'user', content: 'x' }] },
  'openai-responses': { model: 'm', input: 'x' },
  'anthropic-messages': { model: 'm', max_tokens: 9, messages: [{ role: 'user', content: 'x' }] },
  'gemini-generate': { contents: [{ role: 'user', parts: [{ text: 'x' }] }] },
};
const names = Object.keys(BODIES) as ChatFormat[];

describe.each(names)('a request of %s', (name) => {
  const { vendorIds, decodeRequest } = dialects[name];

  it.each(vendorIds.onlyHere)('with %s is marked as one that no other wire can answer', (field) => {
    const body = { ...BODIES[name], [field]: field === 'thread' || field === 'prompt' ? { id: 'x' } : 'x' };
    expect(vendorIds.inRequest(body)).toHaveLength(1);
    const { unportable = [] } = decodeRequest(body, { model: 'm', stream: false });
    const camel = field.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());
    expect(unportable.map((each) => each.field)).toEqual([name === 'gemini-generate' ? camel : field]);
  });
});
