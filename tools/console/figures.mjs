// npm run console:figures: how fast the console is, by the browser's own clock: the first page, and the log of requests with a million rows.
import '../needs-node-24.mjs';
import { mkdtempSync, rmSync } from 'node:fs';
import { availableParallelism, loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { Kysely, sql } from 'kysely';
import { buildConsole } from '../../apps/console/build.mjs';
import { newRequestId } from '../../apps/gateway/src/http/request-id.ts';
import { copyRequests } from '../../libs/store/src/migrations/requests.ts';
import { openUrl } from '../../libs/store/src/store.ts';
import { openTestBrowser } from '../../libs/testing/src/browser.ts';
import { openTestGateway } from '../../libs/testing/src/gateway.ts';

const ROWS = Number(process.argv[2] ?? 1_000_000);
const SCROLLS = 30;
const LONG_MS = 200;

const folder = mkdtempSync(join(tmpdir(), 'console-figures-'));
await buildConsole(folder);
const gateway = await openTestGateway({ consoleFolder: folder });
const browser = await openTestBrowser();
try {
  const began = performance.now();
  await seed(new DatabaseSync(gateway.databaseUrl.replace(/^sqlite:(\/\/)?/, '')), ROWS);
  console.log(`${availableParallelism()} cores with a load of ${loadavg()[0].toFixed(1)}`);
  console.log(`${ROWS} rows in ${seconds(performance.now() - began)}`);
  await firstPage();
  await requestLog();
} finally {
  await browser.close();
  await gateway.close();
  rmSync(folder, { recursive: true, force: true });
}

/** Rows of the last thirty days, of two hundred models, one in twenty of them refused. */
async function seed(database, rows) {
  const now = Date.now();
  database.exec('pragma busy_timeout = 10000');
  // Pages go on from an id, which tells its time.
  database.function('request_id', newRequestId);
  database.exec(`
    with recursive n (n) as (select 1 union all select n + 1 from n where n < ${rows})
    insert into requests (at, id, owner_id, mode, key_id, operation, kind, model, status, failed, error, aborted, streamed, ms,
      first_byte_ms, account_id, vendor, upstream_model, attempts, input_tokens, cached_tokens, output_tokens, charged, address, client)
    select ${now} - n * 2592, request_id(${now} - n * 2592), 1 + n % 2, 'test', 1 + n % 3, 'createChatCompletion', 'chat',
      'model-' || (n % 200), case when n % 20 = 0 then 429 else 200 end, case when n % 20 = 0 then 4 end,
      case when n % 20 = 0 then 'rate_limited' end, 0, n % 2, 200 + n % 900, 40 + n % 90, 1 + n % 9, 'openai', 'm', 1,
      n % 4000, n % 1000, n % 700, n % 5000, '127.0.0.1', 'figures' from n`);
  // Written as the version before did, and moved as its rows are.
  const { dialect } = await openUrl(`sqlite:${database.location()}`, { beside: true });
  const db = new Kysely({ dialect });
  await db.transaction().execute(async (tx) => {
    await copyRequests(tx, { isServer: false, slot: 'row_number() over (partition by r.at order by r.id) - 1' });
    await sql`delete from requests`.execute(tx);
  });
  await db.destroy();
  database.close();
}

/** Watches tasks of the main thread from the first moment of each document. */
async function newPage() {
  const page = await (await browser.newContext({ viewport: { width: 1440, height: 900 } })).newPage();
  await page.addInitScript(() => {
    window.tasks = [];
    new PerformanceObserver((list) => window.tasks.push(...list.getEntries().map(({ duration }) => duration))).observe({
      type: 'longtask',
      buffered: true,
    });
  });
  return page;
}

async function signIn(page, path) {
  await page.goto(`${gateway.url}/console/${path}`);
  await page.locator('input[type=password]').fill(gateway.adminKey);
  await page.locator('button[type=submit]').click();
}

async function firstPage() {
  const page = await newPage();
  await page.goto(`${gateway.url}/console`);
  await page.locator('input[type=password]').waitFor();
  const signInMs = await page.evaluate(() => performance.now());
  await page.locator('input[type=password]').fill(gateway.adminKey);
  await page.locator('button[type=submit]').click();
  await page.locator('main#content h1').waitFor();
  // Signed in, with nothing kept by the browser but the session.
  const session = await page.context().cookies();
  const cold = await newPage();
  await cold.context().addCookies(session);
  await cold.goto(`${gateway.url}/console`);
  await cold.locator('main#content h1').waitFor();
  const overviewMs = await cold.evaluate(() => performance.now());
  told('sign-in page interactive', signInMs, 1000);
  told('first page of a session interactive', overviewMs, 1000);
  told('longest task of the first page', await longest(cold), LONG_MS);
  await page.context().close();
  await cold.context().close();
}

async function requestLog() {
  const page = await newPage();
  await signIn(page, 'requests?mode=test');
  const first = performance.now();
  await page.locator('.line').first().waitFor();
  const firstMs = performance.now() - first;
  for (let scroll = 0; scroll < SCROLLS; scroll++) {
    const before = await page.locator('.body').evaluate(({ offsetHeight }) => offsetHeight);
    await page.locator('.table').evaluate((table) => table.scrollTo(0, table.scrollHeight));
    await page.waitForFunction((height) => document.querySelector('.body').offsetHeight > height, before);
  }
  const rows = (await page.locator('.table').getAttribute('aria-rowcount')) ?? '0';
  const filtered = performance.now();
  await page.getByLabel('Error code', { exact: true }).fill('rate_limited');
  await page.waitForURL('**error=rate_limited**');
  await page.locator('.line .tag.bad').first().waitFor();
  told('request log: first rows after signing in', firstMs, 2000);
  told('request log: a filter, typing pause included', performance.now() - filtered, 2000);
  told(`request log: longest task while ${rows} rows are scrolled through and filtered`, await longest(page), LONG_MS);
  await page.context().close();
}

function longest(page) {
  return page.evaluate(() => Math.max(0, ...window.tasks));
}

function told(what, ms, most) {
  console.log(`${ms <= most ? 'ok  ' : 'SLOW'} ${what}: ${Math.round(ms)} ms (at most ${most} ms)`);
  if (ms > most) process.exitCode = 1;
}

function seconds(ms) {
  return `${(ms / 1000).toFixed(1)} s`;
}
