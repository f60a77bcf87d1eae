/** Uploads in parts, in OpenAI's form. */
import type { Request } from 'express';
import type { UploadRecord } from '@model-gateway/core';
import { operation, type Handlers } from '../../http/operation.ts';
import { expiryOf, keepOneFile, purposeIn, tenantOf, type FileRouteParts, type UploadPlaces } from './requests.ts';
import { partIdIn, uploadOf, uploadPartOf } from './view.ts';

const LARGEST_PART = 64 * 1024 * 1024;

/** Handlers of the operations on uploads in parts. */
export function uploadRoutes({ files, uploads, now }: FileRouteParts, places: UploadPlaces): Handlers {
  return {
    createUpload: operation<'createUpload'>(async ({ body, response }) => {
      const { bytes, filename, mime_type: mime, expires_after: expiry } = body;
      const upload = await uploads.create(tenantOf(response), {
        ...{ size: bytes, filename, mime, purpose: purposeIn(body.purpose) },
        ...(expiry !== undefined && { keepSeconds: expiry.seconds }),
      });
      return { status: 200, body: uploadOf(upload) };
    }),
    createUploadPart: places.within(async (request, response) => {
      const id = idOf(request);
      const tenant = tenantOf(response);
      // Before its bytes are read: whose upload it is.
      const upload = await uploads.get(tenant, id);
      const bound = { field: 'data', largest: Math.min(files.largest, LARGEST_PART) };
      const part = await keepOneFile(request, bound, ({ stream }, announced) =>
        // A form is a little longer than its file.
        uploads.addPart(tenant, id, { body: stream, announced: Math.min(announced, upload.size ?? announced) }),
      );
      response.json(uploadPartOf(part, id));
    }),
    completeUpload: operation<'completeUpload'>(async ({ body, request, response }) => {
      const tenant = tenantOf(response);
      const upload = await uploads.get(tenant, idOf(request));
      const file = await uploads.complete(tenant, upload.id, {
        partIds: body.part_ids.map(partIdIn),
        ...(body.md5 !== undefined && { md5: body.md5 }),
        facts: factsOf(upload, now()),
      });
      return { status: 200, body: uploadOf(upload, file) };
    }),
    cancelUpload: operation<'cancelUpload'>(async ({ request, response }) => ({
      status: 200,
      body: uploadOf(await uploads.cancel(tenantOf(response), idOf(request))),
    })),
  };
}

/** What is said of the file that an upload becomes. */
export function factsOf({ filename, mime, purpose, keepSeconds }: UploadRecord, now: number) {
  return { filename, mime, purpose, ...expiryOf(purpose, keepSeconds, now) };
}

function idOf(request: Request): string {
  return String(request.params['upload_id']);
}
