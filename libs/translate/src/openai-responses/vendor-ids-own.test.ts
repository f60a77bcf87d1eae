/** Reasoning without encrypted content is read from the vendor's copy, unless the gateway itself named it. */
import { expect, it } from 'vitest';
import { dialects } from '../dialects.ts';

const found = (id: string, type = 'reasoning'): unknown[] =>
  dialects['openai-responses'].vendorIds.inRequest({ input: [{ type, id, summary: [] }] }).map((one) => one.id);

it('an id of OpenAI’s is a reference, one of a translated answer is none', () => {
  expect(found('rs_68af0c2b7d1c8190')).toEqual(['rs_68af0c2b7d1c8190']);
  expect(found('rs_c1FyJhKO10GH0Wr4ScG6U5zOH0Q3qtB9_0')).toEqual([]);
  // Asked for by reference it is looked up all the same.
  expect(found('rs_c1FyJhKO10GH0Wr4ScG6U5zOH0Q3qtB9_0', 'item_reference')).toHaveLength(1);
});

it.each([
  ['browser', []],
  ['cntr_68af', ['tools[0].environment']],
  [{ type: 'container_reference', container_id: 'cntr_68af' }, ['tools[0].environment.container_id']],
  [{ type: 'container_auto' }, []],
])('where a tool runs is an id only when a container is named: %j', (environment, params) => {
  const body = { tools: [{ type: 'computer_use_preview', environment }] };
  expect(dialects['openai-responses'].vendorIds.inRequest(body).map(({ param }) => param)).toEqual(params);
});
