import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { formatted } from './format.ts';
import { currentPage, outcomeOf } from './fidelity.ts';

const url = new URL('../../docs/guides/fidelity.md', import.meta.url);

describe('the fidelity tables', () => {
  it('say what the translator does now', async () => {
    const page = readFileSync(url, 'utf8');
    const now = await formatted(url.pathname, currentPage(page));
    expect(page).toBe(now);
  });

  it('tell the three outcomes apart', () => {
    expect(outcomeOf('temperature', 'openai-chat', 'gemini-generate')).toEqual({
      kind: 'carried',
    });
    expect(outcomeOf('seed', 'openai-chat', 'anthropic-messages')).toMatchObject({
      kind: 'named',
    });
    expect(outcomeOf('several answers', 'openai-chat', 'anthropic-messages')).toMatchObject({
      kind: 'refused',
    });
    expect(outcomeOf('several answers', 'anthropic-messages', 'openai-chat')).toBeUndefined();
  });
});
