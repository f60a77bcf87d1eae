/** Vendors of speech and of media jobs that list their models, beside the built-in catalogue; those that list none are named. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createAdmin, type Admin } from '@model-gateway/client';
import { openTestGateway, type TestGateway } from '@model-gateway/testing';
import { startVendorTwin, type VendorTwin } from '@model-gateway/vendor-twin';
import { runCommand } from './run-command.ts';

const LISTING = ['elevenlabs', 'deepgram', 'cartesia', 'fal', 'replicate'] as const;
const SILENT = ['assemblyai', 'stability', 'bfl', 'luma'] as const;

let twin: VendorTwin;
let gateway: TestGateway;
let admin: Admin;

beforeAll(async () => {
  twin = await startVendorTwin({ media: 'tiny' });
  const accounts = [...LISTING, ...SILENT].map(
    (name) =>
      `  - { name: ${name}, base_url: '${twin.baseUrl(name)}', credentials: ${JSON.stringify(twin.credentials(name))} }`,
  );
  const image = 'kind: image, body: prompt, price: { image: 0.04 }';
  gateway = await openTestGateway({
    twin,
    yaml: `accounts:
${accounts.join('\n')}
models:
  - { code: fal/old, ${image}, offers: [{ account: fal, model: fal-ai/flux-pro/v1.1 }] }
  - { code: fal/left, ${image}, offers: [{ account: fal, model: fal-ai/that-is-gone }] }
  - { code: replicate/own, ${image}, offers: [{ account: replicate, model: somebody/private }] }
  - { code: deepgram/one-voice, kind: speech, price: { character: 30 }, offers: [{ account: deepgram, model: aura-2-zeus-en }] }
  - { code: deepgram/left, kind: transcription, price: { second: 0.001 }, offers: [{ account: deepgram, model: nova-1 }] }
`,
  });
  admin = createAdmin({ baseUrl: gateway.url, apiKey: gateway.adminKey, maxRetries: 0 });
});
afterAll(async () => {
  await gateway.close();
  await twin.close();
});

/** `new fal-ai/x`, in the order of the answer. */
const told = async (vendor: string): Promise<readonly string[]> =>
  (await admin.modelChanges({ vendor })).data.map(({ change, model }) => `${change} ${model}`);

it.each([
  // Transcription and music are not in its list: their models are not gone.
  ['elevenlabs', 4, ['new eleven_turbo_v2_5']],
  // Voices are models there: of a family there is one, and a row of a voice has it.
  ['deepgram', 5, ['gone nova-1', 'new nova-3-medical', 'new nova-2', 'new aura']],
  ['cartesia', 3, ['new sonic-3.5']],
])('%s', async (vendor, listed, changes) => {
  expect(await told(vendor)).toEqual(changes);
  const { accounts } = await admin.modelChanges({ vendor });
  expect(accounts).toEqual([{ account: vendor, vendor, lists_models: true, listed, error: null }]);
});

it('fal, page by page: what is deprecated is told of models that rows have, and is no new one', async () => {
  const changes = await told('fal');
  expect(changes).toContain('deprecated fal-ai/flux-pro/v1.1');
  expect(changes).toContain('gone fal-ai/that-is-gone');
  expect(changes).not.toContain('new fal-ai/flux-pro/v1.1');
  expect(changes.filter((change) => change.startsWith('gone '))).toHaveLength(1);
  const { accounts } = await admin.modelChanges({ vendor: 'fal' });
  expect(accounts).toMatchObject([{ listed: 9 }]);
});

it('Replicate lists a part of its models: one that is not in it is not gone', async () => {
  const { data, accounts } = await admin.modelChanges({ vendor: 'replicate' });
  expect(accounts).toMatchObject([{ listed: 5, error: null }]);
  expect(data.filter(({ change }) => change === 'gone')).toEqual([]);
});

describe('a proposal', () => {
  it.each([
    ['elevenlabs', 'elevenlabs/eleven_turbo_v2_5', { kind: 'speech' }, { character: 50 }],
    ['deepgram', 'deepgram/nova-2', { kind: 'transcription' }, { second: 0.0001 }],
  ])('of %s has the name and kind of its neighbours, and needs a price', async (vendor, name, says, price) => {
    const { data } = await admin.modelChanges({ vendor });
    const proposal = data.flatMap((change) => change.proposal ?? []).find((each) => each.name === name);
    expect(proposal?.value).toMatchObject(says);
    const put = (value: Record<string, unknown>) => admin.configEntries.put('models', name, { value });
    await expect(put(proposal?.value ?? {})).rejects.toMatchObject({ status: 400 });
    await put({ ...proposal?.value, price });
    expect(await told(vendor)).not.toContain(`new ${name.slice(vendor.length + 1)}`);
  });

  it('of media jobs has the body that callers send', async () => {
    const { data } = await admin.modelChanges({ vendor: 'fal' });
    const proposals = data.flatMap(({ proposal }) => proposal ?? []);
    expect(proposals.length).toBeGreaterThan(0);
    for (const { name, value } of proposals) {
      expect([name, value['body']]).toEqual([expect.stringMatching(/^fal\/fal-ai\//), 'prompt']);
      const price = value['kind'] === 'image' ? { image: 0.1 } : { second: 0.1 };
      await admin.configEntries.put('models', name, { value: { ...value, price } });
    }
    expect((await told('fal')).filter((change) => change.startsWith('new '))).toEqual([]);
  });
});

describe('vendors without a list', () => {
  it('are named, which is no error', async () => {
    const { accounts } = await admin.modelChanges();
    for (const vendor of SILENT)
      expect(accounts).toContainEqual({ account: vendor, vendor, lists_models: false, listed: null, error: null });
    expect(accounts.filter(({ error }) => error !== null)).toEqual([]);
  });

  it('are named by the command', async () => {
    const env = { GATEWAY_ADMIN_KEY: gateway.adminKey };
    const all = await runCommand(['models', 'sync', '--url', gateway.url], { env });
    expect([all.code, all.out]).toEqual([
      0,
      expect.stringMatching(/Without a list of models at the vendor: .*stability.*\n/),
    ]);
    const one = await runCommand(['models', 'sync', '--vendor', 'cartesia', '--url', gateway.url], { env });
    expect(one.out).toMatch(/^cartesia lists 3 models\n/);
    expect(one.out).not.toContain('Without a list');
  });

  it('a vendor of no account is refused', async () => {
    await expect(admin.modelChanges({ vendor: 'runway' })).rejects.toMatchObject({ status: 404, param: 'vendor' });
  });
});
