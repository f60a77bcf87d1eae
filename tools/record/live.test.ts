/**
 * The contract with real vendors: runs where credentials are in the environment under names that mean it (`LIVE_OPENAI_API_KEY`,
 * `LIVE_TENCENT_VOD_SECRET_ID`, …) and says that it was skipped elsewhere. Each test costs a few tokens of that account.
 */
import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { DialectName, JsonObject } from '@model-gateway/contracts';
import {
  accountOn,
  baseUrlOf,
  createUntrustedFetcher,
  createUpstreamPools,
  openUpstream,
  readSse,
  type UntrustedFetcher,
  type Upstream,
  type UpstreamPools,
} from '@model-gateway/provider-kit';
import { dialects } from '@model-gateway/translate';
import { parse } from 'yaml';
import { vendors } from '@model-gateway/gateway';
import { chatRequest } from './cases.ts';

interface CatalogueFile {
  readonly accounts: readonly { readonly name: string; readonly vendor: string }[];
  readonly models: readonly {
    readonly kind: string;
    readonly offers: readonly { readonly account: string; readonly model: string }[];
  }[];
}
const catalogue = parse(
  readFileSync(new URL('../../apps/gateway/config/catalogue.yaml', import.meta.url), 'utf8'),
) as CatalogueFile;

/** A chat model that the built-in catalogue has of this vendor. */
function chatModelOf(vendor: string): string | undefined {
  const names = new Set(catalogue.accounts.filter((row) => row.vendor === vendor).map(({ name }) => name));
  const offers = catalogue.models.filter(({ kind }) => kind === 'chat').flatMap((row) => row.offers);
  return offers.find(({ account }) => names.has(account))?.model;
}

const adapters = await Promise.all([...vendors.values()].map((vendor) => vendor.load()));

describe.each(adapters.filter(({ chat }) => chat !== undefined).map((adapter) => [adapter.id, adapter] as const))(
  '%s, live',
  (vendor, adapter) => {
    const declared = accountOn(adapter.declares, undefined);
    const prefix = `LIVE_${vendor.toUpperCase().replaceAll('-', '_')}`;
    const credentials = Object.fromEntries(
      Object.keys(declared?.credentials ?? {}).map((name) => [
        name,
        process.env[`${prefix}_${name.toUpperCase()}`] ?? '',
      ]),
    );
    const needed = declared?.sufficient[0] ?? [];
    const model = chatModelOf(vendor);
    const baseUrl = process.env[`${prefix}_BASE_URL`] ?? (declared === undefined ? undefined : baseUrlOf(declared, {}));
    if (
      model === undefined ||
      baseUrl === undefined ||
      needed.length === 0 ||
      needed.some((name) => credentials[name] === '')
    ) {
      it.skip(`skipped: needs ${needed.map((name) => `${prefix}_${name.toUpperCase()}`).join(' and ')}`, () =>
        undefined);
      return;
    }
    let pools: UpstreamPools;
    let untrustedFetcher: UntrustedFetcher;
    let upstream: Upstream;
    beforeAll(() => {
      pools = createUpstreamPools();
      untrustedFetcher = createUntrustedFetcher({ allowPrivate: [] });
      upstream = openUpstream({
        account: { id: 1, name: 'live', vendor, baseUrl, credentials, settings: {} },
        adapter,
        model,
        quirks: adapter.declares.chatQuirks ?? {},
        deadlines: { connect: 10, firstByte: 120, idle: 120 },
        pools,
        untrustedFetcher,
        now: Date.now,
      });
    });
    afterAll(async () => {
      await pools.close();
      await untrustedFetcher.close();
    });

    it.each((adapter.chat?.dialects ?? []).filter((dialect) => dialect !== 'openai-completions'))(
      '%s: an answer and a stream that our decoders read',
      async (name: DialectName) => {
        const dialect = dialects[name];
        const whole = chatRequest(adapter, upstream, { dialect: name, text: 'Say only the word hello.' });
        const reply = await upstream.send(whole.request);
        expect(dialect.decodeReply(reply.json as JsonObject, whole.sent).choices[0]?.parts.length).toBeGreaterThan(0);
        const streamed = chatRequest(adapter, upstream, {
          dialect: name,
          text: 'Say only the word hello.',
          stream: true,
        });
        const decoder = dialect.streamDecoder(streamed.sent);
        const events = [];
        for await (const event of readSse((await upstream.stream(streamed.request)).body))
          events.push(...decoder.push(event));
        events.push(...decoder.end());
        expect(events.map(({ type }) => type)).toEqual(expect.arrayContaining(['delta', 'end']));
        expect(events.filter(({ type }) => type === 'error')).toEqual([]);
      },
      240_000,
    );
  },
);
