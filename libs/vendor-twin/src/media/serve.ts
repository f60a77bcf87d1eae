import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Media } from './media.ts';
import { mimeOf } from './spec.ts';
import { MediaWorkerBusy } from './media-worker.ts';

/** Serves `/media/…` without a key: whole or in one range, so that players can seek. */
export async function serveMedia(
  request: IncomingMessage,
  response: ServerResponse,
  name: string,
  media: Media,
): Promise<void> {
  if (request.method !== 'GET' && request.method !== 'HEAD') {
    response.writeHead(405, { allow: 'GET, HEAD' }).end();
    return;
  }
  const spec = media.specOf(name);
  if (spec === undefined) {
    response.writeHead(404, { 'content-type': 'text/plain' }).end('No such file, or its link has expired.\n');
    return;
  }
  const headers = { 'content-type': mimeOf(spec), etag: `"${name.split('.')[1] ?? ''}"` };
  try {
    if (request.method === 'HEAD') sendHead(response, await media.sizeOf(spec), headers);
    else sendFile(request, response, await media.file(spec), headers);
  } catch (error) {
    if (response.destroyed) return;
    const status = error instanceof MediaWorkerBusy ? 503 : 500;
    response.writeHead(status, { 'content-type': 'text/plain', ...(status === 503 && { 'retry-after': '1' }) });
    response.end('The file cannot be made right now.\n');
  }
}

const USUAL = {
  'accept-ranges': 'bytes',
  'access-control-allow-origin': '*',
  'cache-control': 'public, max-age=3600',
};

/** Tells what is known without making the file: its length only where it is there already. */
function sendHead(response: ServerResponse, size: number | undefined, headers: Readonly<Record<string, string>>): void {
  response.writeHead(200, { ...USUAL, ...headers, ...(size !== undefined && { 'content-length': size }) }).end();
}

/** Sends a file, honouring a single `Range` and HEAD. */
export function sendFile(
  request: IncomingMessage,
  response: ServerResponse,
  file: Buffer,
  headers: Readonly<Record<string, string>>,
): void {
  const usual = { ...USUAL, ...headers };
  const range = rangeOf(request.headers.range, file.length);
  if (range === 'unsatisfiable') {
    response.writeHead(416, { ...usual, 'content-range': `bytes */${file.length}` }).end();
    return;
  }
  const part = range === undefined ? file : file.subarray(range.from, range.to + 1);
  response.writeHead(range === undefined ? 200 : 206, {
    ...usual,
    'content-length': part.length,
    ...(range !== undefined && { 'content-range': `bytes ${range.from}-${range.to}/${file.length}` }),
  });
  response.end(request.method === 'HEAD' ? undefined : part);
}

function rangeOf(
  header: string | undefined,
  length: number,
): { readonly from: number; readonly to: number } | 'unsatisfiable' | undefined {
  const [, first = '', last = ''] = /^bytes=(\d*)-(\d*)$/.exec(header ?? '') ?? [];
  if (first === '' && last === '') return undefined;
  const from = first === '' ? Math.max(0, length - Number(last)) : Number(first);
  const to = first === '' || last === '' ? length - 1 : Math.min(Number(last), length - 1);
  return from > to || from >= length ? 'unsatisfiable' : { from, to };
}
