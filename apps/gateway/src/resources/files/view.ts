/** Uploaded files as each SDK knows them. */
import { OPERATIONS, type components, type JsonObject } from '@model-gateway/contracts';
import { NEVER, type UploadedFileRecord, type UploadPart, type UploadRecord } from '@model-gateway/core';

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

/** OpenAI's form of an upload in parts. */
export function uploadOf(upload: UploadRecord, file?: UploadedFileRecord) {
  return {
    id: upload.id,
    object: 'upload',
    bytes: upload.size ?? 0,
    created_at: Math.floor(upload.createdAt / 1000),
    expires_at: Math.floor(upload.expiresAt / 1000),
    filename: upload.filename,
    purpose: upload.purpose as Schemas['FilePurpose'],
    status: file === undefined ? upload.status : 'completed',
    file: file === undefined ? null : fileOf(file),
  } satisfies Schemas['Upload'];
}

/** `part_gw…`: a part lies among the files until it is put together with others. */
export function uploadPartOf({ id, createdAt }: UploadPart, uploadId: string) {
  return {
    id: id.replace('file-', 'part_'),
    object: 'upload.part',
    created_at: Math.floor(createdAt / 1000),
    upload_id: uploadId,
  } satisfies Schemas['UploadPart'];
}

/** The id that a part is kept under. */
export function partIdIn(given: string): string {
  return given.replace(/^part_/, 'file-');
}

function addressOf(path: string, { id }: UploadedFileRecord): string {
  return path.replace('{uploaded_file_id}', id.replace('file-', ''));
}

/** Google's form; `base`: the address that people reach the gateway by. */
export function geminiFileOf(file: UploadedFileRecord, base: string) {
  const created = new Date(file.createdAt).toISOString();
  const name = file.id.replace('file-', 'files/');
  return {
    name,
    displayName: file.filename,
    mimeType: file.mime,
    sizeBytes: String(file.size),
    createTime: created,
    updateTime: created,
    ...(file.expiresAt !== NEVER && { expirationTime: new Date(file.expiresAt).toISOString() }),
    // Google's own is the base64 of the hexadecimal text, too.
    sha256Hash: Buffer.from(file.digest).toString('base64'),
    uri: base + addressOf(OPERATIONS.getGeminiFile.path, file),
    downloadUri: `${base}${addressOf(OPERATIONS.downloadGeminiFile.path, file)}?alt=media`,
    state: 'ACTIVE',
    source: 'UPLOADED',
  } satisfies Schemas['GeminiFile'];
}

/** Google's form of a page: its token is the last id of it. */
export function geminiPageOf({ files, hasMore }: FilePage, base: string) {
  const last = files.at(-1)?.id;
  return {
    files: files.map((file) => geminiFileOf(file, base)),
    ...(hasMore && last !== undefined && { nextPageToken: last }),
  } satisfies Schemas['GeminiFileList'];
}

/** Google's form; `base`: the address that people reach the gateway by. */
export function geminiView(base: string): FileView {
  return { file: (file) => geminiFileOf(file, base), list: (page) => geminiPageOf(page, base), deleted: () => ({}) };
}

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
