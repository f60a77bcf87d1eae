/** What `gateway backup` and `gateway restore` do. */
import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { GatewayError } from '@model-gateway/contracts';
import { backupDatabase, openStore, restoreDatabase, type BackupReport } from '@model-gateway/store';
import { verifyAll } from '../resources/ledger/bills.ts';
import { readConfig, type Config } from '../config/config.ts';
import { encryptionKeyFile, readKeyFile, writeKeyFile } from '../config/encryption-key.ts';
import type { JsonOption } from './command-options.ts';
import { count } from './output.ts';
import type { Terminal } from './terminal.ts';

interface BackupOptions extends JsonOption {
  readonly withoutKey?: true;
}

/** Copies the database to a file, and its encryption key to one beside it; says what is in the copy, and what must be kept apart from it. */
export async function backup({ env, out }: Terminal, file: string, { json, withoutKey }: BackupOptions): Promise<void> {
  const config = readConfig(env);
  const copy = `${resolve(file)}.key`;
  const own = ownKeys(config);
  if (own.length > 0 && withoutKey !== true && existsSync(copy))
    throw new GatewayError('invalid_request', `${copy} already exists: choose another file name`, { param: 'file' });
  const report = backupDatabase(config.databaseUrl, file);
  const hasKey = own.length > 0 && withoutKey !== true;
  if (hasKey) writeKeyFile(copy, own);
  if (json === true) {
    const key = hasKey ? { key_file: copy } : {};
    out(JSON.stringify({ object: 'backup', ...report, ...key, not_included: notIncluded(config, hasKey) }));
    return;
  }
  out(
    [
      told('Copied', report, config, hasKey),
      ...(hasKey ? [`The encryption key is in ${copy}: it opens what is encrypted in the copy. Keep both.`] : []),
      ...(hasKey ? [] : keyToKeep(config)),
    ].join('\n'),
  );
}

async function ledgerDifferences({ databaseUrl }: Config): ReturnType<typeof verifyAll> {
  const store = await openStore(databaseUrl);
  try {
    return await verifyAll(store.ledger);
  } finally {
    await store.close();
  }
}

/** Puts a copy in the place of the database, and verifies its ledger. */
export async function restore(
  { env, now, out, exitWith }: Terminal,
  file: string,
  { json }: JsonOption,
): Promise<void> {
  const config = readConfig(env);
  const copied = readKeyFile(`${resolve(file)}.key`);
  const stamp = new Date(now()).toISOString().replace(/[-:]|\.\d+/g, '');
  const report = await restoreDatabase(config.databaseUrl, file, stamp);
  const keyFile = encryptionKeyFile(config.databaseUrl);
  // Keys that were there stay behind those of the copy: the database that was set aside is read with them.
  if (copied.length > 0 && keyFile !== undefined) writeKeyFile(keyFile, [...new Set([...copied, ...ownKeys(config)])]);
  const differences = await ledgerDifferences(config);
  if (differences.length > 0) exitWith(1);
  const hasKey = copied.length > 0;
  if (json === true) {
    out(
      JSON.stringify({
        object: 'restore',
        ...report,
        ledger_ok: differences.length === 0,
        key_restored: hasKey,
        not_included: notIncluded(config, hasKey),
      }),
    );
    return;
  }
  out(
    [
      told('Restored', report, config, hasKey),
      hasKey
        ? `The encryption key came with it, from ${resolve(file)}.key.`
        : `There is no ${resolve(file)}.key: what is encrypted in the copy is read only with the key that it was encrypted with.`,
      ...(report.kept === undefined ? [] : [`The database that was there is now ${report.kept}`]),
      differences.length === 0
        ? 'The ledger adds up.'
        : `The ledger does not add up in ${differences.length} places: run gateway ledger verify.`,
    ].join('\n'),
  );
}

/** Those of the database's own file. */
function ownKeys({ databaseUrl }: Config): readonly string[] {
  const file = encryptionKeyFile(databaseUrl);
  return file === undefined ? [] : readKeyFile(file);
}

/** What must not be lost with a copy that has no key in it. */
function keyToKeep(config: Config): readonly string[] {
  if (config.encryptionKeys.length === 0) return [];
  const where =
    ownKeys(config).length > 0
      ? (encryptionKeyFile(config.databaseUrl) ?? '')
      : 'GATEWAY_ENCRYPTION_KEY or security.encryption_key';
  return [
    `KEEP THE ENCRYPTION KEY (${where}): without it the responses, conversations and vendor credentials in this copy are lost.`,
  ];
}

function told(
  verb: string,
  { file, bytes, owners, tasks, entries }: BackupReport,
  config: Config,
  hasKey: boolean,
): string {
  return [
    `${verb} to ${file}: ${count(bytes)} bytes, ${count(owners)} owners, ${count(tasks)} tasks, ${count(entries)} lines of the ledger, every page whole.`,
    `Not in it: ${notIncluded(config, hasKey)}.`,
  ].join('\n');
}

function notIncluded({ files }: Config, hasKey: boolean): string {
  const kept = files.s3 === undefined ? `the folder ${files.folder}` : 'the S3 bucket';
  return `kept files (${kept}), which live for ${files.keepHours} hours; the configuration; ${hasKey ? '' : 'the encryption key; '}counts in Redis`;
}
