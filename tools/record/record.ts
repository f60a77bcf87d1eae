/** Records real exchanges with a vendor into the fixture form: `capability-call.case.status.json` or `.sse`, scrubbed of secrets. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  createUntrustedFetcher,
  createUpstreamPools,
  openUpstream,
  parseVendorJson,
  type Account,
  type VendorAdapter,
} from '@model-gateway/provider-kit';
import { casesOf, type CaseContext, type CaseName } from './cases.ts';
import { recordingPools, type Exchange } from './recorder.ts';
import { scrubEvents, scrubJson, scrubText } from './scrub.ts';

export interface RecordOptions {
  readonly adapter: VendorAdapter;
  readonly account: Account;
  /** The vendor's name of the model. */
  readonly model: string;
  readonly only: readonly CaseName[] | undefined;
  readonly folder: string;
  readonly voice: string | undefined;
  readonly pollEveryMs: number;
  /** Loopback addresses of a twin; nothing otherwise. */
  readonly allowPrivate?: readonly string[];
  /** Milliseconds since 1970. */
  readonly now: () => number;
  readonly say: (line: string) => void;
}

/** Runs the cases one after the other and writes what came; a case that fails is said and the others go on. Returns the files written. */
export async function recordVendor(options: RecordOptions): Promise<readonly string[]> {
  const { adapter, account, model, only, folder, say } = options;
  const secrets = Object.values(account.credentials).flatMap((text) => [text, encodeURIComponent(text)]);
  const written: string[] = [];
  const seen = new Map<string, number>();
  let call = '';
  const pools = recordingPools(createUpstreamPools(), (exchange) => {
    const { name, text } = fixtureOf(call, exchange, secrets);
    // Equal states of a poll are told once.
    const count = (seen.get(name) ?? 0) + 1;
    seen.set(name, count);
    if (count > 1) return;
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, name), text);
    written.push(name);
  });
  const untrustedFetcher = createUntrustedFetcher({ allowPrivate: options.allowPrivate ?? [] });
  const open = (name: string) =>
    openUpstream({
      account,
      adapter,
      model: name,
      quirks: adapter.declares.chatQuirks ?? {},
      deadlines: { connect: 10, firstByte: 300, idle: 300 },
      pools,
      untrustedFetcher,
      now: options.now,
    });
  const context: CaseContext = {
    adapter,
    upstream: open(model),
    unknownModel: open('no-such-model-here'),
    voice: options.voice,
    pollEveryMs: options.pollEveryMs,
  };
  try {
    for (const each of casesOf(adapter)) {
      if (only !== undefined && !only.includes(each.name)) continue;
      call = each.call;
      const before = written.length;
      try {
        await each.run(context);
        say(`${each.call}: ${written.slice(before).join(', ')}`);
      } catch (error) {
        say(`${each.call}: failed: ${scrubText(String(error), secrets)}`);
      }
    }
  } finally {
    await pools.close();
    await untrustedFetcher.close();
  }
  return written;
}

interface Fixture {
  readonly name: string;
  readonly text: string;
}

/** Name and scrubbed content of one exchange. */
export function fixtureOf(
  call: string,
  { method, status, headers, body }: Exchange,
  secrets: readonly string[],
): Fixture {
  const text = body.toString('utf8');
  if (headers['content-type']?.includes('event-stream') === true)
    return { name: `${call}.${status}.sse`, text: scrubEvents(text, secrets) };
  const json = parseVendorJson(text);
  if (json === undefined) return { name: `${call}.${status}.txt`, text: scrubText(text.slice(0, 2000), secrets) };
  const state = call === 'videos' ? (method === 'POST' ? '-start' : `-check.${stateWord(json)}`) : '';
  return { name: `${call}${state}.${status}.json`, text: `${JSON.stringify(scrubJson(json, secrets), null, 2)}\n` };
}

/** The vendor's own word for the state, wherever it stands: polls are told apart by it. */
function stateWord(json: unknown): string {
  const found = /"(?:task_status|taskStatus|status|Status|state|done)":\s*"?(\w+)/.exec(JSON.stringify(json));
  return (found?.[1] ?? 'reply').toLowerCase();
}
