/** The properties of a schema keep their order in every dialect. */
import { describe, expect, it } from 'vitest';
import { DIALECT_NAMES } from '@model-gateway/contracts';
import { dialects } from './index.ts';

describe('bug 50 responseformatordering', () => {
  const schema = {
    type: 'object',
    properties: { zebra: { type: 'string' }, apple: { type: 'string' }, mango: { type: 'string' } },
    required: ['zebra', 'apple', 'mango'],
    additionalProperties: false,
  };
  it.each(DIALECT_NAMES.filter((name) => name !== 'openai-chat'))(
    '%s: properties keep the order they were asked in',
    (to) => {
      const request = dialects['openai-chat'].decodeRequest({
        model: 'm',
        messages: [{ role: 'user', content: 'hi' }],
        response_format: { type: 'json_schema', json_schema: { name: 'fruit', schema, strict: true } },
      });
      const text = JSON.stringify(
        dialects[to].encodeRequest(request, { model: 'm', provider: 'x', maxOutputTokens: 100 }).body,
      );
      const places = ['"zebra":{', '"apple":{', '"mango":{'].map((name) => text.indexOf(name));
      expect(places.every((place) => place > 0)).toBe(true);
      expect(places).toEqual([...places].sort((one, other) => one - other));
    },
  );
});
