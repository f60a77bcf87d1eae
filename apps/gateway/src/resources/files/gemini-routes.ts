/** Files in Google's form: its resumable uploads, lists, and what is known of one (docs/wire/gemini-generate.md). */
import type { Request, Response } from 'express';
import { GatewayError, isJsonObject, OPERATIONS } from '@model-gateway/contracts';
import { jsonBody } from '../../http/exchange.ts';
import type { UploadedFileQuery } from '@model-gateway/core';
import type { Handler, Handlers } from '../../http/operation.ts';
import { idOf, tenantOf, type FileRouteParts, type UploadPlaces } from './requests.ts';
import { factsOf } from './upload-routes.ts';
import { geminiFileOf, geminiPageOf } from './view.ts';

/** As long as Google keeps files. */
const KEEP_SECONDS = 48 * 3600;
const USUAL_PAGE = 10;

/** Handlers of the operations on files in Google's form. */
export function geminiFileRoutes(parts: FileRouteParts, places: UploadPlaces): Handlers {
  const { files, uploads, publicUrl } = parts;
  const start: Handler = async (request, response) => {
    const protocol = request.headers['x-goog-upload-protocol'];
    if (protocol !== 'resumable')
      throw new GatewayError('invalid_request', 'upload files with the resumable protocol here', {
        param: 'x-goog-upload-protocol',
      });
    const upload = await uploads.create(tenantOf(response), announcedIn(request));
    const path = OPERATIONS.sendGeminiUpload.path.replace('{upload_id}', upload.id);
    response.setHeader('x-guploader-uploadid', upload.id);
    response.setHeader('x-goog-upload-url', publicUrl() + path);
    response.setHeader('x-goog-upload-status', 'active');
    response.json({});
  };
  return {
    startGeminiUpload: start,
    startGeminiUploadV1: start,
    sendGeminiUpload: places.within((request, response) => send(parts, request, response)),
    async listGeminiFiles(request, response) {
      const page = await files.list(tenantOf(response), geminiQueryOf(request));
      response.json(geminiPageOf(page, publicUrl()));
    },
    async getGeminiFile(request, response) {
      response.json(geminiFileOf(await files.get(tenantOf(response), idOf(request)), publicUrl()));
    },
    async deleteGeminiFile(request, response) {
      await files.remove(tenantOf(response), idOf(request));
      response.json({});
    },
  };
}

/** The page that a request in Google's form asks for. */
export function geminiQueryOf({ query: { pageSize, pageToken } }: Request): UploadedFileQuery {
  return {
    order: 'desc',
    limit: Number(pageSize ?? USUAL_PAGE),
    ...(typeof pageToken === 'string' && pageToken !== '' && { after: pageToken }),
  };
}

/** What the start of an upload says of the file. */
function announcedIn(request: Request) {
  const { file } = jsonBody(request);
  const said = isJsonObject(file) ? file : {};
  const header = (name: string): string | undefined => {
    const value = request.headers[name];
    return typeof value === 'string' && value !== '' ? value : undefined;
  };
  const size = Number(header('x-goog-upload-header-content-length') ?? said['sizeBytes'] ?? NaN);
  const name = said['displayName'] ?? said['display_name'] ?? header('x-goog-upload-file-name');
  const mime = said['mimeType'] ?? said['mime_type'] ?? header('x-goog-upload-header-content-type');
  return {
    filename: typeof name === 'string' ? name : 'file',
    mime: typeof mime === 'string' ? mime : '',
    purpose: 'user_data',
    keepSeconds: KEEP_SECONDS,
    ...(Number.isSafeInteger(size) && size >= 0 && { size }),
  };
}

/** Bytes of an upload, and what is to be done with them. */
async function send({ uploads, now, publicUrl }: FileRouteParts, request: Request, response: Response): Promise<void> {
  const tenant = tenantOf(response);
  const id = String(request.params['upload_id']);
  const upload = await uploads.get(tenant, id);
  const commands = String(request.headers['x-goog-upload-command'] ?? '')
    .split(',')
    .map((word) => word.trim());
  const unknown = commands.find((word) => !['upload', 'finalize', 'query', 'cancel'].includes(word));
  if (unknown !== undefined)
    throw new GatewayError('invalid_request', 'it must be upload, finalize, query or cancel', {
      param: 'x-goog-upload-command',
    });
  if (commands.includes('cancel')) {
    await uploads.cancel(tenant, id);
    response.setHeader('x-goog-upload-status', 'cancelled');
    response.json({});
    return;
  }
  if (commands.includes('upload')) {
    const received = await uploads.received(id);
    const offset = Number(request.headers['x-goog-upload-offset'] ?? 0);
    if (offset !== received)
      throw new GatewayError('invalid_request', `${received} bytes have arrived; continue at that offset`, {
        param: 'x-goog-upload-offset',
      });
    const announced = Number(request.headers['content-length'] ?? 0);
    await uploads.addPart(tenant, id, { body: request, announced, position: offset });
  }
  if (commands.includes('finalize')) {
    const file = await uploads.complete(tenant, id, { facts: factsOf(upload, now()) });
    response.setHeader('x-goog-upload-status', 'final');
    response.json({ file: geminiFileOf(file, publicUrl()) });
    return;
  }
  response.setHeader('x-goog-upload-status', 'active');
  response.setHeader('x-goog-upload-size-received', String(await uploads.received(id)));
  response.json({});
}
