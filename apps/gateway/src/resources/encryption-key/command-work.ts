/** What `gateway encryption-key rotate` does. */
import { openStore } from '@model-gateway/store';
import { CommandFault } from '../../commands/command-fault.ts';
import type { JsonOption } from '../../commands/command-options.ts';
import { sayTo } from '../../commands/output.ts';
import type { Terminal } from '../../commands/terminal.ts';
import { readConfig } from '../../config/config.ts';
import {
  encryptionKeyFile,
  encryptionKeyId,
  LAST_ENCRYPTION_KEY,
  newEncryptionKey,
  readKeyFile,
  writeKeyFile,
} from '../../config/encryption-key.ts';

/** Puts a new key ahead of those in the file beside the database. Throws CommandFault where there is none, or another key encrypts. */
export async function rotateEncryptionKey(terminal: Terminal, options: JsonOption): Promise<void> {
  const { env, now } = terminal;
  const config = readConfig(env);
  const file = encryptionKeyFile(config.databaseUrl);
  if (file === undefined)
    throw new CommandFault(
      'Only a SQLite database has a file of keys. Put the new key ahead of the old one in GATEWAY_ENCRYPTION_KEY (separated by a comma) or security.encryption_key, and restart.',
    );
  const older = readKeyFile(file);
  if (config.encryptionKeys[0] !== older[0])
    throw new CommandFault(
      'The configuration names the key that encrypts: put the new key ahead of it in GATEWAY_ENCRYPTION_KEY (separated by a comma) or security.encryption_key, and restart.',
    );
  // A gateway that runs could not read what a newer key encrypts: the database is taken, or this fails.
  const store = await openStore(config.databaseUrl);
  try {
    const key = newEncryptionKey();
    writeKeyFile(file, [key, ...older]);
    await store.settings.replace(LAST_ENCRYPTION_KEY, encryptionKeyId(key));
    await store.audit.add({
      actor: 'command',
      at: now(),
      action: 'encryption-key.rotate',
      subject: 'encryption key',
      after: { key_id: encryptionKeyId(key), older: older.length },
    });
    sayTo(terminal, options)(
      { object: 'encryption_key', file, key_id: encryptionKeyId(key), older_keys: older.length },
      () =>
        `${file} has a new first key, ${encryptionKeyId(key)}, which encrypts from the next start. What is there already is read with the ${older.length} behind it.`,
    );
  } finally {
    await store.close();
  }
}
