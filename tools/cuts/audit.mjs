/** The gateway's ledger held against the vendors' own, stream by stream. */
import { FIRST_TOKENS } from './streams.mjs';

/** Tokens of every question beside its text: what the twin counts for a turn and for the talk. */
const AROUND = 7;
/** A local estimate reckons long streams from a sample of them. */
const MOST_OFF = 0.25;
const FEW_TOKENS = 12;
/** Of the prices in the configuration: US dollars per million, half a million units per dollar. */
const [INPUT_PRICE, OUTPUT_PRICE] = [1, 10];

/** Compares every stream; answers rows for a table and the broken promises. */
export function auditStreams({ told, entries, answers }) {
  const faults = [];
  const charges = new Map();
  for (const entry of entries) {
    if (charges.has(entry.requestId)) faults.push(`the request ${entry.requestId} was charged twice`);
    charges.set(entry.requestId, entry);
  }
  const byNumber = new Map();
  for (const answer of answers) {
    const number = (answer.billed.inputTokens ?? 0) - AROUND - FIRST_TOKENS;
    byNumber.set(number, [...(byNumber.get(number) ?? []), answer]);
  }
  const rows = new Map();
  const row = (name) => {
    if (!rows.has(name))
      rows.set(name, {
        streams: 0,
        'billed input': 0,
        'vendor input': 0,
        'billed output': 0,
        'vendor output': 0,
        units: 0,
        off: 0,
      });
    return rows.get(name);
  };
  const marked = {
    streams: 0,
    'estimated output': 0,
    'heard by the client': 0,
    'whole answers': 0,
    'estimated input': 0,
    'true input': 0,
    units: 0,
  };
  const free = { streams: 0, 'heard by the client': 0 };
  const refused = { streams: 0 };
  let matched = 0;

  for (const stream of told) {
    const { plan, number, requestId, characters, whole } = stream;
    const name = `stream ${number} (${plan.caller} → ${plan.model})`;
    const vendor = byNumber.get(number) ?? [];
    const entry = charges.get(requestId);
    if (entry !== undefined) matched += 1;
    if (stream.status >= 400) {
      // An account that its vendor cut off too often in a row cools down, and its callers are refused.
      refused.streams += 1;
      if (entry !== undefined) faults.push(`${name} was refused with ${stream.status} and billed`);
      continue;
    }
    const isCutByClient = !whole && plan.vendorCut === undefined;
    if (entry === undefined) {
      free.streams += 1;
      free['heard by the client'] += characters / 4;
      if (characters > 0) faults.push(`${name} said something to its client and was not billed`);
      if (isCutByClient && plan.mode === 'drain') faults.push(`${name} was read to its end and not billed`);
      if (whole && plan.vendorCut === undefined) faults.push(`${name} came whole and was not billed`);
      continue;
    }
    const usage = entry.detail.usage;
    const units = Math.floor(
      ((usage.inputTokens * INPUT_PRICE + usage.outputTokens * OUTPUT_PRICE) * 500_000) / 1e6 + 0.5,
    );
    if (units !== entry.charged || entry.shortfall !== 0)
      faults.push(`${name}: charged ${entry.charged}, and its usage comes to ${units}`);
    if (usage.estimated === true) {
      const heard = characters / 4;
      marked.streams += 1;
      marked['estimated output'] += usage.outputTokens;
      marked['heard by the client'] += heard;
      marked['whole answers'] += plan.long;
      marked['estimated input'] += usage.inputTokens;
      marked['true input'] += FIRST_TOKENS + number + AROUND;
      marked.units += entry.charged;
      if (whole && plan.vendorCut === undefined) faults.push(`${name} came whole and was estimated`);
      if (isCutByClient && plan.mode === 'drain') faults.push(`${name} was read to its end and estimated`);
      if (usage.outputTokens < heard * (1 - MOST_OFF) - FEW_TOKENS)
        faults.push(`${name}: ${usage.outputTokens} tokens estimated, ${heard} heard`);
      if (usage.outputTokens > plan.long * (1 + MOST_OFF) + FEW_TOKENS)
        faults.push(`${name}: ${usage.outputTokens} tokens estimated of ${plan.long}`);
      continue;
    }
    const last = vendor.at(-1);
    const sum = row(`${plan.vendorFormat}, ${plan.mode}${plan.caller === plan.vendorFormat ? '' : ', translation'}`);
    sum.streams += 1;
    sum['billed input'] += usage.inputTokens;
    sum['billed output'] += usage.outputTokens;
    sum['vendor input'] += last?.billed.inputTokens ?? 0;
    sum['vendor output'] += last?.billed.outputTokens ?? 0;
    sum.units += entry.charged;
    if (last === undefined) faults.push(`${name} was billed, and its vendor knows nothing of it`);
    else if (last.billed.inputTokens !== usage.inputTokens || last.billed.outputTokens !== usage.outputTokens) {
      sum.off += 1;
      faults.push(
        `${name}: billed ${usage.inputTokens}+${usage.outputTokens}, the vendor says ${last.billed.inputTokens}+${last.billed.outputTokens}`,
      );
    }
    // A vendor that could not say its last word to the gateway has not reported.
    if (vendor.length > 1 && plan.vendorCut === undefined)
      faults.push(`${name} was asked of the vendor ${vendor.length} times`);
  }
  if (matched !== entries.length) faults.push(`${entries.length - matched} charges belong to no stream`);
  return { rows, marked, free, refused, faults };
}
