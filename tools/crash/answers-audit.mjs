/** Compares the books of a run of answers.mjs: what clients were told, what the vendor was asked, what the ledger says, what streams are kept. */
import { code, hasEnded, isError } from './answers-clients.mjs';
import { PRICE_OF, STREAMED } from './answers-config.mjs';

const PAGE = 1_000;
/** Of what its vendors were asked. */
const KEPT_BY_TWIN = 1_000;

/** What was begun 40 ms before a crash is written down, and then by a disk that may be slow. */
const UNSEEN_MS = 1_000;
/** Of what crashes charge: a process spends most of a request's time behind the first byte to its vendor. */
const MOST_UNSEEN_BY_VENDORS = 0.5;

/** Resolves with a table and the broken promises. `forgiven`: when processes died of which nobody knew yet that they die. */
export async function auditAnswers({ store, twin, intents, kept, forgiven }) {
  const faults = [];
  const entries = await allEntries(store);
  for (const { message } of await store.ledger.verify()) faults.push(`the ledger does not add up: ${message}`);
  const captures = entries.filter(({ kind, model }) => kind === 'capture' && model !== undefined);
  const charges = Map.groupBy(captures, ({ requestId }) => requestId);
  const bySettlement = captures.filter(({ detail }) => detail.crashSettlement === true);
  const settled = sum(entries.filter(({ detail }) => detail.crashSettlement === true));
  const vendorAsked = twin.requests.list();
  const unpaid = [];
  for (const intent of intents) {
    const asked = vendorAsked.filter(({ body }) => body.includes(intent.name));
    if (asked.length > 1) faults.push(`a vendor was asked ${asked.length} times for ${intent.name} (${intent.kind})`);
    const paid = intent.requestIds.flatMap((id) => charges.get(id) ?? []);
    if (paid.length > 1) faults.push(`${intent.name} (${intent.kind}) was paid ${paid.length} times`);
    // A client may have waited for seconds until a process that has just begun, on a busy machine, came to him.
    checkAnswer({ ...intent, begunAt: asked[0]?.at }, paid, unpaid, faults);
    if (asked.length === 0 && paid.some((charge) => !bySettlement.includes(charge)))
      faults.push(`${intent.name} (${intent.kind}) was paid, and no vendor was asked for it`);
  }
  for (const intent of intents) if (intent.streamId !== undefined) checkStream(intent, kept, faults);
  // What is at risk is written down before a vendor is asked: a process that dies between the two leaves a settlement of what no vendor has seen.
  const charged = captures.length - bySettlement.length;
  if (vendorAsked.length < KEPT_BY_TWIN && charged > vendorAsked.length)
    faults.push(`${charged} requests were charged by their ends, and vendors were asked ${vendorAsked.length} times`);
  const unseenByVendors = captures.length - vendorAsked.length;
  if (vendorAsked.length < KEPT_BY_TWIN && unseenByVendors > MOST_UNSEEN_BY_VENDORS * bySettlement.length)
    faults.push(`crashes charged ${bySettlement.length} requests, ${unseenByVendors} more than vendors were asked for`);
  // Charged under the name of a try whose process died before it answered; the next one was given the answer that was kept.
  const named = new Set(intents.flatMap(({ requestIds }) => requestIds));
  const nameless = captures.filter(({ requestId, model }) => model !== STREAMED && !named.has(requestId));
  const owed = sumOf(unpaid) - sum(nameless);
  // What a payer with plenty began just before may go unseen (docs/decisions/0005-chat-spends-from-leases.md).
  const unseen = sumOf(
    unpaid.filter(({ begunAt }) => forgiven.some((at) => begunAt <= at && at - begunAt < UNSEEN_MS)),
  );
  if (owed - settled > unseen)
    faults.push(
      `answers for ${owed} units were given that nobody was charged for, ${unseen} just before the first crash; crashes were settled with ${settled}`,
    );
  const rows = rowsOf({ intents, kept, charges, settled, owed });
  // A run in which nothing happened proves nothing.
  if (rows.streams.cut === 0 || !intents.some(({ answer }) => answer?.status === 200))
    faults.push('no stream was cut, or nothing was answered, while processes died');
  return { rows, faults };
}

/** What was answered is paid at its price, by itself or by the settlement of a crash; what was refused is not. */
function checkAnswer({ name, kind, answer, begunAt }, [charge], unpaid, faults) {
  if (kind === 'stream' || answer === undefined) return;
  if (answer.status !== 200) {
    if (answer.status < 500 || code(answer) === 'submission_unknown') return;
    faults.push(`${name} (${kind}) was answered with ${answer.status} ${code(answer)}`);
    return;
  }
  const price = PRICE_OF[kind]?.(answer.body);
  if (charge === undefined) unpaid.push({ begunAt, price: price ?? 0 });
  else if (price !== undefined && charge.charged !== price)
    faults.push(`${name} (${kind}) costs ${price} and was charged ${charge.charged}`);
  else if (charge.charged === 0) faults.push(`${name} (${kind}) was given for nothing`);
}

/** It is there, has every number once, begins with what was heard, and says how it ended. */
function checkStream({ name, streamId, heard, resumed }, kept, faults) {
  const { status, events } = kept.get(streamId);
  if (status !== 200) return void faults.push(`${name}: its stream reads ${status}`);
  if (resumed !== undefined && resumed !== 200) faults.push(`${name}: going on was answered with ${resumed}`);
  const numbered = ({ id }) => id !== undefined;
  if (events.filter(numbered).some(({ id }, index) => id !== index + 1)) faults.push(`${name}: its stream has a gap`);
  if (heard.filter(numbered).some(({ id }, index) => id !== index + 1))
    faults.push(`${name}: what was heard has a gap`);
  const common = Math.min(events.filter(numbered).length, heard.filter(numbered).length);
  const texts = (all) =>
    all
      .filter(numbered)
      .slice(0, common)
      .map(({ data }) => data);
  if (JSON.stringify(texts(events)) !== JSON.stringify(texts(heard)))
    faults.push(`${name}: what was heard is not what was kept`);
  if (!hasEnded(events)) faults.push(`${name}: its stream stops without a word`);
}

function rowsOf({ intents, kept, charges, settled, owed }) {
  const rows = {};
  for (const { kind, answer, heard } of intents) {
    const row = (rows[kind] ??= { asked: 0, answered: 0, unknown: 0 });
    row.asked += 1;
    if (answer?.status === 200 || hasEnded(heard)) row.answered += 1;
    if (code(answer ?? {}) === 'submission_unknown') row.unknown += 1;
  }
  const streams = [...kept.values()];
  return {
    ...rows,
    streams: {
      kept: streams.length,
      ended: streams.filter(({ events }) => events.at(-1)?.data === '[DONE]').length,
      cut: streams.filter(({ events }) => isError(events.at(-1)?.data)).length,
      resumed: intents.filter(({ resumed }) => resumed !== undefined).length,
    },
    money: { charges: charges.size, settled, owed },
  };
}

async function allEntries({ ledger }) {
  const all = [];
  for (;;) {
    const last = all.at(-1)?.id;
    const page = await ledger.entries({ limit: PAGE, ...(last !== undefined && { after: last }) });
    all.push(...page);
    if (page.length < PAGE) return all;
  }
}

function sumOf(answers) {
  return answers.reduce((all, { price }) => all + price, 0);
}

function sum(entries) {
  return entries.reduce((all, { charged }) => all + charged, 0);
}
