/** Lists of models in the forms that vendors of sound answer with, and what is no list. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startScriptedVendor, type ScriptedReply, type ScriptedVendor } from '@model-gateway/testing';
import { cartesia } from './cartesia/cartesia.ts';
import { deepgram } from './deepgram/deepgram.ts';
import { elevenlabs } from './elevenlabs/elevenlabs.ts';

let reply: ScriptedReply;
let vendor: ScriptedVendor;
beforeAll(async () => {
  vendor = await startScriptedVendor(() => reply);
});
afterAll(() => vendor.close());

describe.each([elevenlabs, deepgram, cartesia])('$id', (adapter) => {
  it.each([{ json: { models: [] } }, { json: 'no' }, { text: '<html>' }])('%j is no list', async (given) => {
    reply = given;
    await expect(adapter.modelList?.list(vendor.upstream(adapter))).rejects.toMatchObject({
      code: 'upstream_malformed',
    });
  });
});

it.each([
  {
    name: 'ElevenLabs: what changes voices is left out, and so is what has no name',
    adapter: elevenlabs,
    json: [
      { model_id: 'eleven_v9', can_do_text_to_speech: true },
      { model_id: 'sts', can_do_text_to_speech: false },
      {},
      null,
    ],
    found: [{ id: 'eleven_v9', kind: 'speech' }],
  },
  {
    name: 'Deepgram: general models by their usual names, voices by their families',
    adapter: deepgram,
    json: {
      stt: [{ canonical_name: 'nova-3' }, { canonical_name: 'nova-3-general' }, { name: 'flux-general-en' }, {}],
      tts: [
        { canonical_name: 'aura-2-zeus-en' },
        { canonical_name: 'aura-2-thalia-en' },
        { canonical_name: 'aura-zeus-en' },
      ],
    },
    found: [
      { id: 'nova-3', kind: 'transcription', otherNames: ['nova-3-general'] },
      { id: 'flux-general-en', kind: 'transcription' },
      { id: 'aura-2', kind: 'speech', otherNames: ['aura-2-zeus-en', 'aura-2-thalia-en'] },
      { id: 'aura', kind: 'speech', otherNames: ['aura-zeus-en'] },
    ],
  },
  { name: 'Deepgram: one half alone', adapter: deepgram, json: { stt: [] }, found: [] },
  {
    name: 'Cartesia: by name, else by what it can do',
    adapter: cartesia,
    json: {
      data: [{ id: 'sonic-9' }, { id: 'ink-9', capability: 'stt' }, { id: 'new', capability: 'stt' }, { id: 'other' }],
    },
    found: [
      { id: 'sonic-9', kind: 'speech' },
      { id: 'ink-9', kind: 'transcription' },
      { id: 'new', kind: 'transcription' },
      { id: 'other', kind: 'speech' },
    ],
  },
  {
    name: 'Cartesia: a list alone',
    adapter: cartesia,
    json: [{ id: 'sonic-2' }],
    found: [{ id: 'sonic-2', kind: 'speech' }],
  },
])('$name', async ({ adapter, json, found }) => {
  reply = { json };
  expect(await adapter.modelList?.list(vendor.upstream(adapter))).toEqual(found);
});
