import { expect, it } from 'vitest';
import { mostTokensOf, tokensOfTexts } from './token-estimates.ts';

it('an estimate is never more than the most a text can have', () => {
  for (const text of ['a', 'The tide turns at noon.', '潮が正午に変わる。', '🌊🌊🌊', 'x'.repeat(5000), '\n\n\n'])
    expect(tokensOfTexts([text])).toBeLessThanOrEqual(mostTokensOf(text, undefined));
});

it('every text has a token at least, and long ones are reckoned in proportion', () => {
  expect(tokensOfTexts([' ', ' '])).toBe(2);
  const text = 'The tide turns at noon. '.repeat(2000);
  const once = tokensOfTexts([text]);
  const many = tokensOfTexts(Array<string>(50).fill(text));
  expect(Math.abs(many - once * 50) / (once * 50)).toBeLessThan(0.02);
});

it('no more than the model reads', () => {
  expect(mostTokensOf('x'.repeat(10_000), 2048)).toBe(2048);
  expect(mostTokensOf('é', undefined)).toBe(2 + 8);
});
