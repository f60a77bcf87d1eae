/** Large files of a request, named as the vendor's own uploads in place of their bytes. */
import { GatewayError, isJsonObject, type Json, type JsonObject } from '@model-gateway/contracts';
import type { FileParts } from '@model-gateway/translate';
import type { VendorFileRecord } from '../../ports.ts';
import type { Plan } from './plan.ts';
import type { ChatCall, ChatParts, FileInBody } from './types.ts';

/** The plan with the vendor's uploads in place of the call's large files; the same plan where its vendor or wire has none. */
export async function withNamedFiles(parts: ChatParts, call: ChatCall, plan: Plan): Promise<Plan> {
  const { files: wire } = plan.upstreamDialect;
  const { account } = plan.offer;
  const { vendorFiles } = parts;
  // What is handed over may be read a day later, and what goes over a socket is told apart by its bytes.
  const isAskedNow = call.caller.delivery === undefined && call.vendorLane === undefined;
  if (vendorFiles === undefined || !isAskedNow || parts.adapters.get(account.vendor)?.files === undefined) return plan;
  const body = JSON.parse(plan.bytes.toString()) as JsonObject;
  const wanted = new Map((call.files ?? []).map((each) => [each.base64, each]));
  const found = new Map<string, VendorFileRecord>();
  for (const base64 of dataIn(body, wire, wanted)) {
    const { file } = wanted.get(base64) as FileInBody;
    const record = await vendorFiles.find(account, { file, bytes: () => Buffer.from(base64, 'base64') });
    if (record !== undefined) found.set(base64, record);
  }
  if (found.size === 0) return plan;
  const named = replaced(body, wire, (base64) => {
    const record = found.get(base64);
    return record === undefined ? undefined : { name: record.name, mime: wanted.get(base64)?.file.mime ?? '' };
  });
  return {
    ...plan,
    bytes: Buffer.from(JSON.stringify(named)),
    headers: withWords(plan.headers, wire.headers),
    named: {
      inlined: plan,
      forget: async () => {
        await Promise.all([...found.values()].map((record) => vendorFiles.forget(record)));
      },
    },
  };
}

/** Whether a vendor refuses a request for a file that it no longer has. */
export function isFileGone(error: unknown): boolean {
  if (!(error instanceof GatewayError)) return false;
  const { vendorStatus, vendorWords } = error.details;
  return [400, 403, 404].includes(vendorStatus ?? 0) && /\bfiles?\b/i.test(`${error.message} ${vendorWords ?? ''}`);
}

function dataIn(body: Json, wire: FileParts, wanted: ReadonlyMap<string, unknown>): ReadonlySet<string> {
  const found = new Set<string>();
  const look = (value: Json | undefined): void => {
    if (Array.isArray(value)) value.forEach(look);
    else if (isJsonObject(value)) {
      const data = wire.dataIn(value);
      if (data === undefined) Object.values(value).forEach(look);
      else if (wanted.has(data)) found.add(data);
    }
  };
  look(body);
  return found;
}

function replaced(
  value: Json,
  wire: FileParts,
  named: (base64: string) => { readonly name: string; readonly mime: string } | undefined,
): Json {
  if (Array.isArray(value)) return value.map((each) => replaced(each, wire, named));
  if (!isJsonObject(value)) return value;
  const data = wire.dataIn(value);
  const file = data === undefined ? undefined : named(data);
  if (file !== undefined) return wire.named(value, file);
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, replaced(each ?? null, wire, named)]));
}

/** Words of lists in headers are added to those that are there. */
function withWords(
  headers: Readonly<Record<string, string>>,
  more: Readonly<Record<string, string>> = {},
): Readonly<Record<string, string>> {
  const all = { ...headers };
  for (const [name, word] of Object.entries(more)) {
    const said = all[name];
    if (said === undefined) all[name] = word;
    else if (!said.split(',').some((each) => each.trim() === word)) all[name] = `${said},${word}`;
  }
  return all;
}
