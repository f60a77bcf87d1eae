/**
 * Kills one of two gateways with SIGKILL while a team of agents spends under three caps within each other: the budget of its organization, that of
 * each user, and the cap of each run. Then looks whether what was charged under each cap, and what vendors billed, is at most the cap and the
 * overdraft, and whether the ledger adds up.
 *
 *   node_modules/.bin/node tools/crash/caps.mjs [--kills 1] [--database postgres|sqlite] [--replicas 2|1] [--clients 40] [--seed 1]
 *
 * Exit code 1 when a promise was broken, 2 when the arguments are wrong.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { UNITS_PER_DOLLAR } from '../../libs/contracts/src/index.ts';
import { openStore } from '../../libs/store/src/index.ts';
import { dieAgainAndAgain, openScene } from './scene.mjs';

/** US dollars. A request that may cost more than the overdraft would run alone, beyond all of them. */
const OVERDRAFT = 0.1;
const ORGANIZATION_CAP = 0.95;
const USER_CAP = 0.45;
/** The keys of the two owners of the organization, and what a run of each may cost. */
const KEYS = {
  ships: { secret: 'sk-crash-ships-0123456789abcdef', runCap: 0.4 },
  boats: { secret: 'sk-crash-boats-0123456789abcdef', runCap: 0.03 },
};
/**
 * Of forty agents: enough of the first to use up the user's budget, and of the last to use up their runs'. Those in between begin when the first
 * user's budget has ended an agent, and use up what is left of the organization's: else it is chance which of the two ends first.
 */
const SHARES = [
  { user: 'ada', key: 'ships', share: 28 / 40 },
  { user: 'bob', key: 'ships', share: 35 / 40, isLater: true },
  { user: 'cyd', key: 'boats', share: 1 },
];
/** US dollars per million tokens. */
const PRICE = { input: 40, output: 240 };
const MOST_OUTPUT = 64;
/** Less than half of what the caps allow. */
const ANSWERS_BEFORE_ALL_DIE = 24;
/** A dead process's last statement ends by then. */
const DYING_MS = 200;
/** An agent waits ten seconds at a time. What a dead process held is free again after a minute, and then somebody is answered. */
const MOST_IDLE_WAITS = 9;
/** The ledger has what was noted this much ago: it writes within 150 ms, on a machine that is busy with this. */
const NOTED_MS = 1_000;
const ANSWER_MS = 20_000;
const LATER_MS = 3_600_000;

const { kills, replicas, count, random, database, twin, pool, end } = await openScene(import.meta.url, {
  ...{ clients: '40', kills: '1', database: 'postgres', replicas: '2' },
  most: ({ kills: before, replicas: each }) => before + 2 * each,
  configText,
});
const faults = [];
/** How often each limit ended an agent. */
const refusals = {};
let whole = 0;
let cut = 0;
/** Ends the life of each process that was ever begun, in the order of their beginnings. */
const lives = [];
/** Agents ask nothing while the books of the dead are settled. */
let settling;
/** The first user's budget is used up, or all who could use it have ended. */
const { promise: firstIsOver, resolve: endFirst } = Promise.withResolvers();
const { promise: allEnded, resolve: endAll } = Promise.withResolvers();

// One more than are killed while agents ask: those that are left die when every agent was refused.
const { deaths, ended } = dieAgainAndAgain({ pool, replicas, kills: kills + replicas + 1 }, () => {
  const { promise, resolve } = Promise.withResolvers();
  lives.push(resolve);
  return { order: {}, life: Promise.race([promise, allEnded]) };
});
const agents = Array.from({ length: count }, (_, index) => ({ index, isLater: agentOf(index).isLater === true }));
const first = agents.filter(({ isLater }) => !isLater).map(({ index }) => live(index));
const later = agents.filter(({ isLater }) => isLater).map(({ index }) => firstIsOver.then(() => live(index)));
await Promise.all(first);
endFirst();
await Promise.all(later);
if (settling === undefined) faults.push(`every agent was refused after ${whole} answers`);
await sleep(NOTED_MS);
const killed = deaths.killedAt.length;
endAll();
await ended;
pool.close();
await end({ killed, rows: await audit(), faults });

/** One agent: asks again and again until a limit ends it. */
async function live(index) {
  const { user, key } = agentOf(index);
  const headers = {
    ...{ authorization: `Bearer ${KEYS[key].secret}`, 'content-type': 'application/json' },
    ...{ 'x-gateway-user': user, 'x-gateway-run': `run-${index}` },
  };
  for (let idleWaits = 0; ;) {
    await settling;
    const urls = deaths.urls();
    const before = whole;
    const url = urls[Math.floor(random() * urls.length)];
    const reply = url === undefined ? undefined : await ask(url, headers).catch(() => undefined);
    if (reply === undefined) await sleep(20);
    else if (reply.status !== 200) {
      const { limit } = reply;
      // What a dead process held is held until its leases end: an agent is told to wait.
      idleWaits = whole === before ? idleWaits + 1 : 0;
      if (limit === null && reply.text.includes('wait for them to end') && idleWaits < MOST_IDLE_WAITS) continue;
      if (limit === null) faults.push(`an agent was refused with ${reply.status}: ${reply.text.slice(0, 300)}`);
      else refusals[limit] = (refusals[limit] ?? 0) + 1;
      if (limit === 'budget:each') endFirst();
      return;
    }
  }
}

async function ask(url, headers) {
  const content = `go on [[twin:long=${30 + Math.floor(random() * 20)}]]`;
  const body = { model: 'm', max_tokens: MOST_OUTPUT, stream: true, messages: [{ role: 'user', content }] };
  const reply = await fetch(`${url}/v1/messages`, {
    ...{ method: 'POST', headers, body: JSON.stringify(body), signal: AbortSignal.timeout(ANSWER_MS) },
  });
  const text = await reply.text().catch((error) => {
    cut++;
    throw error;
  });
  if (reply.status === 200) answered();
  return { status: reply.status, limit: reply.headers.get('x-gateway-limit'), text };
}

/** One after the other dies while the first answers come, and then all of them at once. */
function answered() {
  whole++;
  for (let index = 0; index < kills; index++)
    if (whole === Math.ceil((ANSWERS_BEFORE_ALL_DIE * (index + 1)) / (kills + 1))) lives[index]();
  if (whole === ANSWERS_BEFORE_ALL_DIE) settling = killAll();
}

/** So that nothing is held for a minute: what is left of the caps is for those that come after. */
async function killAll() {
  for (const kill of lives) kill();
  while (deaths.killedAt.length < kills + replicas) await sleep(20);
  await sleep(DYING_MS);
  const store = await openStore(database.url, { beside: true });
  await store.ledger.closeExpiredLeases(Date.now() + LATER_MS, { process: 'nobody' });
  await store.close();
}

/** What dead processes have left is settled; then each cap is compared with what was charged under it. */
async function audit() {
  const store = await openStore(database.url, { beside: true });
  await store.ledger.closeExpiredLeases(Date.now() + LATER_MS, { process: 'nobody' });
  const scopes = scopesOf(await store.keys.list({ limit: 100 }));
  const spent = await store.ledger.spentOf(scopes, Date.now());
  const captures = [];
  for (let after = 0; ;) {
    const page = await store.ledger.entries({ after, limit: 1_000, kind: 'capture' });
    captures.push(...page);
    if (page.length < 1_000) break;
    after = page.at(-1).id;
  }
  for (const { message } of await store.ledger.verify()) faults.push(message);
  await store.close();

  const sumOf = (entries) => entries.reduce((sum, { charged }) => sum + charged, 0);
  for (const [index, { name, cap, isOf }] of scopes.entries()) {
    // Those that a crash charged do not say for whom; what they cost is in the scopes all the same.
    const known = sumOf(captures.filter(({ detail }) => isOf(detail.identity ?? {})));
    if (known > spent[index])
      faults.push(`${name} counts ${spent[index]} units, and its requests were charged ${known}`);
    if (spent[index] > cap + units(OVERDRAFT))
      faults.push(`${name} has a cap of ${cap} units, and ${spent[index]} are charged`);
  }
  const [{ cap }] = scopes;
  const charged = sumOf(captures);
  if (charged !== spent[0]) faults.push(`${charged} units are charged, and the organization counts ${spent[0]}`);
  const { inputTokens, outputTokens } = twin.ledger.totals('openai');
  const billed = Math.round(((inputTokens * PRICE.input + outputTokens * PRICE.output) * UNITS_PER_DOLLAR) / 1e6);
  if (billed > cap + units(OVERDRAFT)) faults.push(`vendors billed ${billed} units under a cap of ${cap}`);
  // A team that is refused long before its money is used has no use of its caps.
  if (charged < cap / 2) faults.push(`of the cap of ${cap} units ${charged} were used when every agent was refused`);
  for (const limit of ['budget:harbour', 'budget:each', 'spend_per_run'])
    if (refusals[limit] === undefined) faults.push(`${limit} ended no agent`);
  const settled = captures.filter(({ detail }) => detail.crashSettlement === true);
  return {
    ...{ agents: count, whole, cut, ...refusals },
    ...{ settled: settled.length, 'charged by crashes': sumOf(settled), charged, billed, cap },
  };
}

/** Every cap there is: the organization's first. */
function scopesOf(keys) {
  const keyOf = Object.fromEntries(keys.map((key) => [key.name, key]));
  const users = SHARES.map(({ user, key }) => ({
    ...{
      name: `user ${user}`,
      scope: `budget:each:${keyOf[key].ownerId}:${user}`,
      window: 'total',
      cap: units(USER_CAP),
    },
    isOf: (identity) => identity.user === user,
  }));
  const runs = Array.from({ length: count }, (_, index) => {
    const { key } = agentOf(index);
    return {
      ...{
        name: `run ${index}`,
        scope: `run:${keyOf[key].id}:run-${index}`,
        window: 'total',
        cap: units(KEYS[key].runCap),
      },
      isOf: ({ run }) => run === `run-${index}`,
    };
  });
  const organization = { name: 'the organization', scope: 'budget:harbour', window: 'total', cap: units(ORGANIZATION_CAP), isOf: () => true }; // prettier-ignore
  return [organization, ...users, ...runs];
}

function agentOf(index) {
  return SHARES.find(({ share }) => index < share * count);
}

function units(dollars) {
  return Math.round(dollars * UNITS_PER_DOLLAR);
}

function configText({ folder, database: { url }, twin: vendors }) {
  const account = JSON.stringify({
    ...{ id: 1, name: 'openai', vendor: 'openai', base_url: vendors.baseUrl('openai') },
    ...{ credentials: vendors.credentials('openai'), max_concurrency: 1000 },
  });
  const names = Object.keys(KEYS);
  const keys = names.map((owner) => ({
    ...{ name: owner, owner, key: KEYS[owner].secret, limits: { spend_per_run: KEYS[owner].runCap } },
  }));
  return `server: { port: 0, workers: 1 }
database: { url: '${url}' }
files: { folder: '${folder}/files' }
twin: { enabled: false }
security: { allow_private: ['127.0.0.1'] }
money: { overdraft: ${OVERDRAFT} }
owners: ${JSON.stringify(names.map((name) => ({ name, organization: 'harbour' })))}
keys: ${JSON.stringify(keys)}
budgets:
  - { name: harbour, scope: organization, values: [harbour], window: total, limit: ${ORGANIZATION_CAP} }
  - { name: each, scope: user, each: true, window: total, limit: ${USER_CAP} }
extends: none
accounts: [${account}]
models:
  - { code: m, kind: chat, offers: [{ account: openai, model: gpt-5.2, dialect: openai-chat }], price: { input: ${PRICE.input}, output: ${PRICE.output} }, limits: { max_output_tokens: ${MOST_OUTPUT} } }
`;
}
