/** What `gateway backup` and `gateway restore` do. */
import { backupDatabase, openStore, restoreDatabase, type BackupReport } from '@model-gateway/store';
import { verifyAll } from '../resources/ledger/bills.ts';
import { readConfig, type Config } from '../config/config.ts';
import type { JsonOption } from './command-options.ts';
import { count } from './output.ts';
import type { Terminal } from './terminal.ts';

/** Copies the database to a file, and says what is in the copy. */
export async function backup({ env, out }: Terminal, file: string, { json }: JsonOption): Promise<void> {
  const config = readConfig(env);
  const report = backupDatabase(config.databaseUrl, file);
  out(
    json === true
      ? JSON.stringify({ object: 'backup', ...report, not_included: notIncluded(config) })
      : told('Copied', report, config),
  );
}

/** Puts a copy in the place of the database, and verifies its ledger. */
export async function restore(
  { env, now, out, exitWith }: Terminal,
  file: string,
  { json }: JsonOption,
): Promise<void> {
  const config = readConfig(env);
  const stamp = new Date(now()).toISOString().replace(/[-:]|\.\d+/g, '');
  const report = await restoreDatabase(config.databaseUrl, file, stamp);
  const store = await openStore(config.databaseUrl);
  const differences = await verifyAll(store.ledger).finally(() => store.close());
  if (differences.length > 0) exitWith(1);
  if (json === true) {
    out(
      JSON.stringify({
        object: 'restore',
        ...report,
        ledger_ok: differences.length === 0,
        not_included: notIncluded(config),
      }),
    );
    return;
  }
  out(
    [
      told('Restored', report, config),
      ...(report.kept === undefined ? [] : [`The database that was there is now ${report.kept}`]),
      differences.length === 0
        ? 'The ledger adds up.'
        : `The ledger does not add up in ${differences.length} places: run gateway ledger verify.`,
    ].join('\n'),
  );
}

function told(verb: string, { file, bytes, owners, tasks, entries }: BackupReport, config: Config): string {
  return [
    `${verb} to ${file}: ${count(bytes)} bytes, ${count(owners)} owners, ${count(tasks)} tasks, ${count(entries)} lines of the ledger, every page whole.`,
    `Not in it: ${notIncluded(config)}.`,
  ].join('\n');
}

function notIncluded({ files }: Config): string {
  const kept = files.s3 === undefined ? `the folder ${files.folder}` : 'the S3 bucket';
  return `kept files (${kept}), which live for ${files.keepHours} hours; the configuration; counts in Redis`;
}
