/** What `gateway files` does. */
import { access } from 'node:fs/promises';
import { basename } from 'node:path';
import type { FileBody } from '@model-gateway/client';
import { withClient, type ClientOptions } from '../../commands/client-command.ts';
import { CommandFault } from '../../commands/command-fault.ts';
import { plainText, record, sayTo, table } from '../../commands/output.ts';
import type { Terminal } from '../../commands/terminal.ts';

const USUAL_LIMIT = 100;
const DAY_SECONDS = 24 * 3600;

export type FilesOptions = Omit<ClientOptions, 'model'>;
export interface ListOptions extends FilesOptions {
  readonly purpose?: string;
  readonly limit?: number;
}
export interface UploadOptions extends FilesOptions {
  readonly purpose: FileBody['purpose'];
  readonly days?: number;
}
export interface DownloadOptions extends FilesOptions {
  readonly out?: string;
}

/** Lists the files of the key's owner. */
export async function listFiles(terminal: Terminal, options: ListOptions): Promise<void> {
  const { purpose, limit = USUAL_LIMIT } = options;
  await withClient(terminal, options, async (client) => {
    const found = await client.files.list({ limit, ...(purpose !== undefined && { purpose }) }).all(limit);
    sayTo(terminal, options)(found, (paint) =>
      found.length === 0
        ? 'There are no such files.'
        : table(
            ['id', 'name', 'bytes', 'purpose', 'created'],
            found.map((file) => [file.id, file.filename, String(file.bytes), file.purpose, minuteOf(file.created_at)]),
            paint,
          ),
    );
  });
}

/** Uploads a file. */
export async function uploadFile(terminal: Terminal, path: string, options: UploadOptions): Promise<void> {
  await access(path).catch(() => {
    throw new CommandFault(`${path} cannot be read.`);
  });
  const { purpose, days } = options;
  await withClient(terminal, options, async (client) => {
    const file = await client.files.create({
      file: { path },
      purpose,
      ...(days !== undefined && { expiresAfterSeconds: days * DAY_SECONDS }),
    });
    sayTo(terminal, options)(file, (paint) =>
      record(
        [
          ['id', file.id],
          ['bytes', String(file.bytes)],
          ['type', file.mime_type ?? ''],
          ['deleted', file.expires_at === undefined ? 'when you delete it' : minuteOf(file.expires_at)],
        ],
        paint,
      ),
    );
  });
}

/** Saves a file as it comes. */
export async function downloadFile(terminal: Terminal, id: string, options: DownloadOptions): Promise<void> {
  await withClient(terminal, options, async (client) => {
    // Without a path: the name comes from whoever uploaded it.
    const out = options.out ?? basename((await client.files.get(id)).filename);
    await (await client.files.content(id)).save(out);
    sayTo(terminal, options)({ id, file: out }, () => plainText(out));
  });
}

/** Deletes a file. */
export async function deleteFile(terminal: Terminal, id: string, options: FilesOptions): Promise<void> {
  await withClient(terminal, options, async (client) => {
    const gone = await client.files.delete(id);
    sayTo(terminal, options)(gone, () => `${gone.id} is deleted.`);
  });
}

function minuteOf(seconds: number): string {
  return new Date(seconds * 1000).toISOString().slice(0, 16).replace('T', ' ');
}
