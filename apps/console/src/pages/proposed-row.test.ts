import { expect, it } from 'vitest';
import { parse } from 'yaml';
import { commandOf, yamlOf } from './proposed-row.ts';

const ROW = {
  kind: 'chat',
  offers: [{ account: 'maker', model: 'maker/new: 2', dialect: 'openai-chat' }],
  limits: { max_input_tokens: 500 },
  price: { input: 0.5, cached_input: 0 },
};

it.each(['plain', 'maker/new', 'no', '5', 'two: parts', "it's", '- a', 'ünlü', '# b', 'a\nb'])(
  'what stands in the file is read as it was proposed: %j',
  (name) => {
    expect(parse(yamlOf(name, ROW))).toEqual([{ code: name, ...ROW }]);
    expect(parse(`models:\n${yamlOf(name, ROW)}`)).toEqual({ models: [{ code: name, ...ROW }] });
  },
);

it('the command has a row as one word of a shell', () => {
  expect(commandOf('gpt-5.2', { price: { input: 1 } })).toBe(
    `npx gateway config set models/gpt-5.2 '{"price":{"input":1}}' --merge`,
  );
  expect(commandOf("it's", {})).toBe(String.raw`npx gateway config set 'models/it'\''s' '{}' --merge`);
});
