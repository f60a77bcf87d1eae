/** Owners with little and with more money, a vendor of their own each, and what the vendor bills and the ledger says. */
import { startVendorTwin } from '../../../libs/vendor-twin/src/index.ts';
import { ledgerTools } from '../target.mjs';

export const DOLLAR = 500_000;
/** What an owner's requests may cost more than there is: `money.overdraft` where nothing is set. */
export const OVERDRAFT = 0.25 * DOLLAR;
/** US dollars per million tokens: dear, so that a dollar is soon spent. */
const PRICE = { input: 1, output: 100 };
export const MOST_OUTPUT = 1_000;
/** The dearest request: its output, and a question that is short. */
export const WORST_CASE = (MOST_OUTPUT * PRICE.output * DOLLAR) / 1e6 + 100;
const CHUNK_MS = 5;
const PAGE = 1_000;

/** Makes `cap` dollars of a payer; its vendor streams slowly. */
export async function createPayer({ name, cap, racers }) {
  const twin = await startVendorTwin({ media: 'tiny', chunkDelayMs: CHUNK_MS });
  return {
    name,
    cap: cap * DOLLAR,
    racers,
    twin,
    secret: `sk-attack-${name}-0123456789abcdef`,
    billed() {
      const { inputTokens, outputTokens } = twin.ledger.totals('openai');
      return ((inputTokens * PRICE.input + outputTokens * PRICE.output) * DOLLAR) / 1e6;
    },
  };
}

/** Writes owners and keys into a fresh database. */
export async function enrol(databaseUrl, payers) {
  const { openStore, hashKey } = await ledgerTools();
  const store = await openStore(databaseUrl);
  for (const payer of payers) {
    const { id } = await store.owners.create({ name: payer.name, group: 'default', creditLimit: 0 }, Date.now());
    await store.ledger.topUp(id, payer.cap, {}, Date.now());
    const rest = { hint: '', mode: 'live', group: 'default', models: ['*'], ipRanges: [], limits: {}, declared: false };
    await store.keys.create({ ...rest, name: payer.name, hash: hashKey(payer.secret), ownerId: id }, Date.now());
    payer.ownerId = id;
  }
  await store.close();
}

/** Whatever is dead is settled, as it is when its leases have run out. Nobody may be alive. */
export async function settleTheDead(databaseUrl) {
  const { openStore } = await ledgerTools();
  const store = await openStore(databaseUrl, { beside: true });
  await store.ledger.closeExpiredLeases(Date.now(), { process: 'nobody' });
  await store.close();
}

/** What the ledger says of each payer, in quota units, and whether it adds up. */
export async function readBooks(databaseUrl, payers) {
  const { openStore, verifyAll } = await ledgerTools();
  const store = await openStore(databaseUrl, { beside: true });
  const books = [];
  for (const payer of payers) {
    const entries = [];
    for (let after = 0; ; after = entries.at(-1).id) {
      const page = await store.ledger.entries({ ownerId: payer.ownerId, kind: 'capture', after, limit: PAGE });
      entries.push(...page);
      if (page.length < PAGE) break;
    }
    const sum = (of) => entries.reduce((total, entry) => total + of(entry), 0);
    books.push({
      payer,
      billed: payer.billed(),
      charged: sum(({ charged }) => charged),
      settled: sum(({ charged, detail }) => (detail.crashSettlement === true ? charged : 0)),
      shortfall: sum(({ shortfall }) => shortfall),
      balance: (await store.owners.get(payer.ownerId)).balance,
    });
  }
  const differences = await verifyAll(store.ledger);
  await store.close();
  return { books, differences };
}

/** The gateway's configuration: one model per payer, at the payer's own vendor. */
export function configText({ databaseUrl, folder, payers }) {
  const lines = (of) => payers.map(of).join('\n');
  return `server: { port: 0 }
database: { url: '${databaseUrl}' }
files: { folder: '${folder}/files' }
twin: { enabled: false }
security: { allow_private: ['127.0.0.1'] }
extends: none
accounts:
${lines(({ name, twin }, index) => `  - { id: ${index + 1}, name: ${name}, vendor: openai, base_url: '${twin.baseUrl('openai')}', credentials: { api_key: '${twin.credentials('openai').api_key}' }, max_concurrency: 5000 }`)}
models:
${lines(({ name }) => `  - { code: ${name}, kind: chat, limits: { max_output_tokens: ${MOST_OUTPUT} }, offers: [{ account: ${name}, model: gpt-5.2, dialect: openai-chat }], price: { input: ${PRICE.input}, output: ${PRICE.output} } }`)}
`;
}
