/** Uploaded files as each SDK knows them. */
import type { components, JsonObject } from '@model-gateway/contracts';
import { NEVER, type UploadedFileRecord } from '@model-gateway/core';

type Schemas = components['schemas'];
export interface FilePage {
  readonly files: readonly UploadedFileRecord[];
  readonly hasMore: boolean;
}
/** How a form of the API prints files. */
export interface FileView {
  file(file: UploadedFileRecord): JsonObject;
  list(page: FilePage): JsonObject;
  deleted(file: UploadedFileRecord): JsonObject;
}

/** `file-gw…`, `file_gw…`: one file, as OpenAI and as Anthropic spell ids. */
function anthropicId({ id }: UploadedFileRecord): string {
  return id.replace('file-', 'file_');
}

function fileOf(file: UploadedFileRecord) {
  return {
    id: file.id,
    object: 'file',
    bytes: file.size,
    created_at: Math.floor(file.createdAt / 1000),
    ...(file.expiresAt !== NEVER && { expires_at: Math.floor(file.expiresAt / 1000) }),
    filename: file.filename,
    purpose: file.purpose as Schemas['FilePurpose'],
    status: 'processed',
    mime_type: file.mime,
  } satisfies Schemas['File'];
}

function anthropicFileOf(file: UploadedFileRecord) {
  return {
    id: anthropicId(file),
    type: 'file',
    filename: file.filename,
    mime_type: file.mime,
    size_bytes: file.size,
    created_at: new Date(file.createdAt).toISOString(),
    expires_at: file.expiresAt === NEVER ? null : new Date(file.expiresAt).toISOString(),
    downloadable: true,
  } satisfies Schemas['AnthropicFile'];
}

export const openAiView: FileView = {
  file: fileOf,
  list: ({ files, hasMore }) =>
    ({
      object: 'list',
      data: files.map(fileOf),
      first_id: files[0]?.id ?? null,
      last_id: files.at(-1)?.id ?? null,
      has_more: hasMore,
    }) satisfies Schemas['FileList'],
  deleted: ({ id }) => ({ id, object: 'file', deleted: true }) satisfies Schemas['FileDeleted'],
};

export const anthropicView: FileView = {
  file: anthropicFileOf,
  list({ files, hasMore }) {
    const [first, last] = [files[0], files.at(-1)];
    const lastId = last === undefined ? null : anthropicId(last);
    return {
      data: files.map(anthropicFileOf),
      has_more: hasMore,
      first_id: first === undefined ? null : anthropicId(first),
      last_id: lastId,
      next_page: hasMore ? lastId : null,
    } satisfies Schemas['AnthropicFileList'];
  },
  deleted: (file) => ({ id: anthropicId(file), type: 'file_deleted' }) satisfies Schemas['AnthropicFileDeleted'],
};

/** Types that no browser runs: everything else is bytes. */
const SHOWN = /^(?:(?:image|audio|video)\/[\w.+-]+|application\/pdf|text\/plain)$/;

/** The type that a download is sent with. */
export function downloadType({ mime }: UploadedFileRecord): string {
  return SHOWN.test(mime) && mime !== 'image/svg+xml' ? mime : 'application/octet-stream';
}

/** `attachment`: a browser saves it and does not show it as a page of this address. */
export function dispositionOf({ filename }: UploadedFileRecord): string {
  const ascii = filename.replace(/[^\w.\- ]/g, '_');
  const encoded = encodeURIComponent(filename).replace(/['()*]/g, (c) => `%${c.charCodeAt(0).toString(16)}`);
  return `attachment; filename="${ascii}"; filename*=UTF-8''${encoded}`;
}
