/** The vendor's last report as it is kept and shown: no media, no secrets, never large. */
import type { Json, JsonObject } from '@model-gateway/contracts';
import { storable } from '@model-gateway/provider-kit';
import type { GatewayAccount } from '../catalogue.ts';

const MOST_BYTES = 65_536;
const MOST_ITEMS = 20;
const TEXT_STEPS = [4096, 1024, 256] as const;

/** A payload fit for `data.data`: embedded media and the account's secrets out, cut to 64 KiB. */
export function keepable(payload: Json, account: Pick<GatewayAccount, 'credentials'> | undefined): Json {
  const clean = storable(payload, account ?? { credentials: {} });
  if (sizeOf(clean) <= MOST_BYTES) return clean;
  for (const longest of TEXT_STEPS) {
    const shorter = cut(clean, longest);
    if (sizeOf(shorter) <= MOST_BYTES) return shorter;
  }
  return topLevel(clean);
}

function sizeOf(value: Json): number {
  return Buffer.byteLength(JSON.stringify(value));
}

function cut(value: Json, longest: number): Json {
  if (typeof value === 'string') return value.length > longest ? `${value.slice(0, longest)}…` : value;
  if (Array.isArray(value)) return value.slice(0, MOST_ITEMS).map((item) => cut(item, longest));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, cut(item, longest)]));
}

/** The last resort: the short fields of the outermost object say what happened. */
function topLevel(value: Json): JsonObject {
  const entries = typeof value === 'object' && value !== null && !Array.isArray(value) ? Object.entries(value) : [];
  const short = entries.filter(([, item]) => typeof item !== 'object' && String(item).length <= 256);
  return { ...Object.fromEntries(short.slice(0, 100)), truncated: true };
}
