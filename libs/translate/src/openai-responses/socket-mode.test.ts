/** What goes over a vendor's socket: whether a request goes on from what the vendor remembers of it. */
import { describe, expect, it } from 'vitest';
import type { JsonObject } from '@model-gateway/contracts';
import { socketMode } from './socket-mode.ts';

const said = (content: string): JsonObject => ({ role: 'user', content });
const asked = (json: JsonObject) => ({ json, bytes: Buffer.from(JSON.stringify(json)) });
const END = { type: 'response.completed', response: { id: 'resp_2', output: [] } };

describe.each([{ previous_response_id: 'resp_1' }, { conversation: 'conv_1' }, { conversation: { id: 'conv_1' } }])(
  'a request with %j',
  (named) => {
    it('is not remembered: its input is not all that was said', () => {
      expect(socketMode.remembered(asked({ input: 'Which?', ...named }), END)).toBeUndefined();
    });

    it('goes on from what it names, though its input begins as the last turn', () => {
      const known = socketMode.remembered(asked({ input: 'Hi' }), END);
      expect(known).toMatchObject({ id: 'resp_2', count: 1 });
      const request = { input: [said('Hi'), said('Which?')] };
      expect(socketMode.message(asked(request), known).goesOn).toBe(true);
      const { text, goesOn } = socketMode.message(asked({ ...request, ...named }), known);
      expect(goesOn).toBe(false);
      expect(JSON.parse(text)).toEqual({ type: 'response.create', ...request, ...named });
    });
  },
);

it.each([{ previous_response_id: null }, { conversation: null }])('%j names nothing', (named) => {
  expect(socketMode.remembered(asked({ input: 'Hi', ...named }), END)).toMatchObject({ count: 1 });
});
