/** What operators are told of routes: a tree of the configuration, and the plan of a request that nobody sends. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { components } from '@model-gateway/contracts';
import { openTestGateway, type TestGateway } from '@model-gateway/testing';
import { checkConfig } from '../src/commands/check-config-work.ts';

type Explanation = components['schemas']['RouteExplanation'];

const MODELS = `models:
  - code: smart
    strategy: least_busy
    routes:
      - { model: mini, when: { groups: [free], input_tokens: { below: 8000 }, inputs: [tools] } }
      - { model: mini, when: { tags: { team: ['ads-*'] } } }
      - { model: mini, when: { regions: [eu], keys: [night], time: { from: '22:00', until: '06:00', days: [sat], zone: Europe/Berlin } } }
      - { model: gpt-5.2, weight: 3 }
      - { model: claude-sonnet-5, priority: 2 }
    fallbacks: { on_error: [gemini-3.1-pro], on_content_refusal: [claude-opus-4-8] }
  - { code: mini, routes: [{ model: gpt-5-mini }] }
  - { code: gpt-5.2, fallbacks: { on_context_too_long: [gemini-3.1-pro] } }
groups: { free: { factor: 1 } }
`;

describe('check-config --explain', () => {
  const folder = mkdtempSync(join(tmpdir(), 'gateway-explain-'));
  const file = join(folder, 'gateway.yaml');
  afterAll(() => rmSync(folder, { recursive: true, force: true }));
  const explain = async (model: string): Promise<string> => {
    writeFileSync(file, `server: { region: eu }\n${MODELS}`);
    const said: string[] = [];
    const stderr = new PassThrough() as unknown as NodeJS.WriteStream;
    await checkConfig(
      {
        env: { GATEWAY_CONFIG: file },
        now: Date.now,
        out: (text) => void said.push(text),
        stderr,
        exitWith: (code) => void said.push(`exit ${code}`),
      },
      { explain: model },
    );
    const told = String(stderr.read() ?? '');
    return [...said, ...(told === '' ? [] : [told.trim()])].join('\n');
  };

  it('prints the way as a tree', async () => {
    expect(await explain('smart')).toBe(
      `smart (least_busy)
├─ mini (weighted) — when the group is free and it brings tools and the input has less than 8000 tokens [priority 1, weight 1]
│  └─ gpt-5-mini
│     └─ account openai: gpt-5-mini [priority 1, weight 1], off
├─ mini (weighted) — when the tag team is ads-* [priority 1, weight 1]
│  └─ gpt-5-mini
│     └─ account openai: gpt-5-mini [priority 1, weight 1], off
├─ mini (weighted) — when the key is night and the region is eu and it is sat 22:00-06:00 Europe/Berlin [priority 1, weight 1]
│  └─ gpt-5-mini
│     └─ account openai: gpt-5-mini [priority 1, weight 1], off
├─ gpt-5.2 (weighted) — otherwise [priority 1, weight 3]
│  ├─ account openai: gpt-5.2 [priority 1, weight 1], off
│  └─ gemini-3.1-pro — when the input is too long
│     └─ account gemini: gemini-3.1-pro-preview [priority 1, weight 1], off
├─ claude-sonnet-5 — otherwise [priority 2, weight 1]
│  └─ account anthropic: claude-sonnet-5 [priority 1, weight 1], off
├─ gemini-3.1-pro — when nobody could answer
│  └─ account gemini: gemini-3.1-pro-preview [priority 1, weight 1], off
└─ claude-opus-4-8 — when the content is refused
   └─ account anthropic: claude-opus-4-8 [priority 1, weight 1], off`,
    );
  });

  it('knows models without routes, aliases, and names that are none', async () => {
    expect((await explain('claude-haiku-4-5-20251001')).split('\n')[0]).toBe('claude-haiku-4-5');
    expect(await explain('sora-2')).toContain('sora-2\n└─ account');
    expect(await explain('smrt')).toBe(
      `exit 1\nthe model 'smrt' is not in the catalogue; GET /v1/models lists the codes (did you mean smart?)`,
    );
  });
});

describe('POST /admin/routes/explain', () => {
  let gateway: TestGateway;
  const now = Date.UTC(2026, 10, 21, 10);
  beforeAll(async () => {
    gateway = await openTestGateway({ clock: () => now, server: 'region: eu', yaml: MODELS });
  });
  afterAll(() => gateway.close());

  const explain = async (body: object, key = gateway.adminKey) => {
    const reply = await fetch(`${gateway.server.adminUrl}/admin/routes/explain`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
    return { status: reply.status, body: (await reply.json()) as Explanation };
  };
  const models = (list: Explanation['candidates']): string[] => list.map(({ model, by }) => `${model} ${by}`);

  it('the order, what is asked instead, and why others are left out', async () => {
    const { status, body } = await explain({ model: 'smart' });
    expect(status).toBe(200);
    expect(body).toMatchObject({ object: 'route_explanation', model: 'smart' });
    expect(models(body.candidates)).toEqual(['gpt-5.2 route', 'claude-sonnet-5 route', 'gemini-3.1-pro on_error']);
    expect(models(body.on_context_too_long)).toEqual(['gemini-3.1-pro on_context_too_long']);
    expect(models(body.on_content_refusal)).toEqual(['claude-opus-4-8 on_content_refusal']);
    expect(body.notes.filter(({ left_out: left }) => left)).toEqual([
      { model: 'mini', account: null, left_out: true, reason: 'the group default is not free' },
      { model: 'mini', account: null, left_out: true, reason: 'it has no tag team' },
      { model: 'mini', account: null, left_out: true, reason: 'the key (none) is not night' },
    ]);
    expect(body.candidates[0]).toMatchObject({
      strategy: 'least_busy',
      cooling: false,
      in_flight: 0,
      expected_ms: null,
    });
  });

  it.each([
    [{ group: 'free', inputs: ['tools'], input_tokens: 7999 }, 'gpt-5-mini'],
    [{ group: 'free', inputs: ['tools'], input_tokens: 8000 }, 'gpt-5.2'],
    [{ group: 'free', inputs: ['image'], input_tokens: 1 }, 'gpt-5.2'],
    [{ tags: { team: 'ads-eu' } }, 'gpt-5-mini'],
    [{ tags: { team: 'ads' } }, 'gpt-5.2'],
    // Saturday 21:30 and 22:30 in Berlin, Sunday 05:59, and the night from Sunday on.
    [{ key: 'night', at: '2026-11-21T20:30:00Z' }, 'gpt-5.2'],
    [{ key: 'night', at: '2026-11-21T21:30:00Z' }, 'gpt-5-mini'],
    [{ key: 'night', at: '2026-11-22T04:59:00Z' }, 'gpt-5-mini'],
    [{ key: 'night', at: '2026-11-22T05:00:00Z' }, 'gpt-5.2'],
    [{ key: 'night', at: '2026-11-22T22:30:00Z' }, 'gpt-5.2'],
    [{ key: 'night', at: '2026-11-21T21:30:00Z', region: 'us' }, 'gpt-5.2'],
  ])('%j goes to %s', async (question, model) => {
    expect((await explain({ model: 'smart', ...question })).body.candidates[0]?.model).toBe(model);
  });

  it('knows what cools, and asks nobody', async () => {
    gateway.twin.faults.next('openai', '*', { kind: 'status', status: 429 });
    await fetch(`${gateway.url}/v1/chat/completions`, {
      method: 'POST',
      headers: { authorization: `Bearer ${gateway.liveKey}`, 'content-type': 'application/json' },
      body: JSON.stringify({ model: 'smart', messages: [{ role: 'user', content: 'hi' }] }),
    });
    const asked = gateway.twin.requests.list().length;
    const { body } = await explain({ model: 'smart' });
    expect(models(body.candidates)).toEqual(['claude-sonnet-5 route', 'gemini-3.1-pro on_error', 'gpt-5.2 route']);
    expect(body.candidates.at(-1)).toMatchObject({ cooling: true });
    expect(body.notes).toContainEqual(
      expect.objectContaining({
        model: 'gpt-5.2',
        reason: expect.stringMatching(
          /^a route leads to it; it cools until 20\S+Z, after upstream_rate_limited: ./,
        ) as unknown,
      }),
    );
    expect(gateway.twin.requests.list()).toHaveLength(asked);
    // Test keys have the twin's other account.
    expect((await explain({ model: 'smart', mode: 'test' })).body.candidates[0]?.model).toBe('gpt-5.2');
  });

  it('refuses what is no question, and who is no operator', async () => {
    expect((await explain({ model: 'smrt' })).status).toBe(400);
    expect((await explain({})).status).toBe(400);
    expect((await explain({ model: 'smart', inputs: ['smoke'] })).status).toBe(400);
    expect((await explain({ model: 'smart', at: 'tomorrow' })).status).toBe(400);
    expect((await explain({ model: 'smart', at: '2026-12-31T23:59:60Z' })).status).toBe(400);
    expect((await explain({ model: 'smart' }, gateway.liveKey)).status).toBe(401);
  });
});
