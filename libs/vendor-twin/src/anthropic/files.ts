import { filesOf, type TwinFile } from '../core/batches.ts';
import type { Exchange } from '../core/exchange.ts';
import { isMultipart, readForm } from '../core/multipart.ts';
import type { Route } from '../core/vendor.ts';
import { badMessage, betasOf, refuseAsAnthropic } from './errors.ts';

export const FILES_BETA = 'files-api-2025-04-14';
const MOST_BYTES = 500 * 1024 * 1024;

/** Files, in beta (docs/wire/files.md#anthropic). */
export const routes: readonly Route[] = [
  { method: 'POST', path: '/v1/files', operation: 'upload', handle: upload },
  { method: 'DELETE', path: /^\/v1\/files\/(?<id>[^/]+)$/, operation: 'file', handle: remove },
];

function refuseWithoutBeta(exchange: Exchange): void {
  if (!betasOf(exchange).includes(FILES_BETA)) throw refuseAsAnthropic(404, { message: 'Not found' });
  if (exchange.header('anthropic-version') === undefined) throw badMessage('anthropic-version: header is required');
}

async function upload(exchange: Exchange): Promise<void> {
  refuseWithoutBeta(exchange);
  if (!isMultipart(exchange)) throw badMessage('file: Field required');
  const [file] = (await readForm(exchange)).files.filter(({ name }) => name === 'file');
  if (file === undefined) throw badMessage('file: Field required');
  if (/[<>:"|?*\\/]/.test(file.filename)) throw badMessage('file: the name has characters that no name has');
  if (file.bytes.length > MOST_BYTES) throw refuseAsAnthropic(413);
  const { stage } = exchange;
  const kept: TwinFile = {
    ...{ id: stage.newId('file_'), name: file.filename, vendor: 'anthropic', createdAt: stage.now() },
    ...{ purpose: '', bytes: file.bytes },
  };
  filesOf(stage).set(kept.id, kept);
  exchange.reply(200, {
    ...{ id: kept.id, type: 'file', filename: kept.name, size_bytes: kept.bytes.length, downloadable: false },
    ...{ mime_type: file.type, created_at: new Date(kept.createdAt).toISOString() },
  });
}

function remove(exchange: Exchange): void {
  refuseWithoutBeta(exchange);
  const id = exchange.params['id'] ?? '';
  if (!filesOf(exchange.stage).delete(id)) throw refuseAsAnthropic(404, { message: `File not found: ${id}` });
  exchange.reply(200, { id, type: 'file_deleted' });
}
