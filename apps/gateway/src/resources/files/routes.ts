/** Files that callers upload: kept, listed, read, deleted, in OpenAI's form and in Anthropic's. */
import type { Request, Response } from 'express';
import type { Content, UploadedFileQuery, UploadedFileRecord, UploadedFiles } from '@model-gateway/core';
import { responseSignal } from '../../http/exchange.ts';
import type { Handler, Handlers } from '../../http/operation.ts';
import { partAskedBy, sendFile } from '../../http/range.ts';
import { formOf } from '../models/routes.ts';
import { geminiFileRoutes, geminiQueryOf } from './gemini-routes.ts';
import { idOf, keepFileOf, tenantOf, UploadPlaces, type FileRouteParts } from './requests.ts';
import { uploadRoutes } from './upload-routes.ts';
import { anthropicView, dispositionOf, downloadType, geminiView, openAiView, type FileView } from './view.ts';

const MOST_LISTED = 10_000;
const USUAL_OF_ANTHROPIC = 20;

/** Handlers of the operations on files. */
export function fileRoutes(parts: FileRouteParts): Handlers {
  const { files, now, publicUrl, openVideo } = parts;
  const places = new UploadPlaces();
  const viewOf = (request: Request): FileView => {
    const form = formOf(request);
    return form === 'gemini' ? geminiView(publicUrl()) : form === 'anthropic' ? anthropicView : openAiView;
  };
  const download: Handler = async (request, response) => {
    const file = await files.get(tenantOf(response), idOf(request));
    response.setHeader('content-disposition', dispositionOf(file));
    await sendFile(response, await contentOf(files, file, { request, response }));
  };
  /** Google's addresses of files are those of videos, too. */
  const downloadGoogles: Handler = async (request, response) => {
    const part = partAskedBy(request);
    const options = { signal: responseSignal(response), ...(part !== undefined && { part }) };
    const video = await openVideo(response.locals.exchange.caller, idOf(request), options);
    if (video === undefined) await download(request, response);
    else await sendFile(response, video);
  };
  const upload: Handler = async (request, response) => {
    const usualPurpose = formOf(request) === 'anthropic' ? ('user_data' as const) : undefined;
    const form = { request, response, now, ...(usualPurpose !== undefined && { usualPurpose }) };
    response.json(viewOf(request).file(await keepFileOf(files, form)));
  };
  return {
    ...uploadRoutes(parts, places),
    ...geminiFileRoutes(parts, places),
    downloadGeminiFile: downloadGoogles,
    downloadGeminiFileV1: downloadGoogles,
    uploadFile: places.within(upload),
    async listFiles(request, response) {
      response.json(viewOf(request).list(await files.list(tenantOf(response), queryOf(request))));
    },
    async getUploadedFile(request, response) {
      response.json(viewOf(request).file(await files.get(tenantOf(response), idOf(request))));
    },
    downloadFile: download,
    async deleteFile(request, response) {
      response.json(viewOf(request).deleted(await files.remove(tenantOf(response), idOf(request))));
    },
  };
}

function queryOf(request: Request): UploadedFileQuery {
  const form = formOf(request);
  if (form === 'gemini') return geminiQueryOf(request);
  const { limit, order, purpose, after, after_id: afterId, before_id: before, page } = request.query;
  const anthropics = form === 'anthropic';
  const from = anthropics ? (page ?? afterId) : after;
  return {
    limit: limit === undefined ? (anthropics ? USUAL_OF_ANTHROPIC : MOST_LISTED) : Number(limit),
    order: order === 'asc' ? 'asc' : 'desc',
    ...(typeof purpose === 'string' && purpose !== '' && { purpose }),
    ...(typeof from === 'string' && from !== '' && { after: from }),
    ...(anthropics && typeof before === 'string' && before !== '' && { before }),
  };
}

async function contentOf(
  files: UploadedFiles,
  file: UploadedFileRecord,
  { request, response }: { readonly request: Request; readonly response: Response },
): Promise<Content> {
  const asked = partAskedBy(request);
  const part = asked?.of(file.size);
  const about = { mime: downloadType(file), size: file.size, seekable: true, etag: `"${file.digest}"` };
  if (asked !== undefined && part === undefined) return { ...about, part: 'outside', body: none() };
  const body = await files.open(file, { ...part, signal: responseSignal(response) });
  return { ...about, ...(part !== undefined && { part }), body };
}

async function* none(): AsyncGenerator<Uint8Array> {
  // Nothing of the file was asked for.
}
