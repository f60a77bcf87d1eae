/** Files on their way out: from a path, a Blob, bytes, or a stream. */
import { nodeFiles, type Part } from './environment.ts';
import { chunksOf } from './sse.ts';

/** Bytes in any of the shapes a program has them in; a `Response` is taken with its body. */
export type UploadData =
  | Blob
  | ArrayBuffer
  | ArrayBufferView
  | ReadableStream<Uint8Array>
  | AsyncIterable<Uint8Array | string>
  | Response;
/** A file to send. `path` is read by Node; `name` and `type` are guessed where they are not given. */
export type Upload = UploadData | FromPath | FromData;
interface FromPath {
  readonly path: string;
  readonly name?: string;
  readonly type?: string;
}
interface FromData {
  readonly data: UploadData;
  readonly name?: string;
  readonly type?: string;
}

/** What a gateway takes at most; a stream is read into memory up to here. */
const LARGEST_BYTES = 64 * 1024 * 1024;

const TYPES: Readonly<Record<string, string>> = {
  png: 'image/png',
  jpg: 'image/jpeg',
  jpeg: 'image/jpeg',
  webp: 'image/webp',
  gif: 'image/gif',
  mp4: 'video/mp4',
  mp3: 'audio/mpeg',
  m4a: 'audio/mp4',
  wav: 'audio/wav',
  ogg: 'audio/ogg',
  flac: 'audio/flac',
  webm: 'audio/webm',
};

interface FormFile {
  readonly blob: Blob;
  readonly name: string;
}

/** The file of an upload. Throws RangeError when a stream is larger than a gateway takes. */
export async function fileOf(upload: Upload, fallbackName: string): Promise<FormFile> {
  const given = await givenOf(upload);
  const blob = await blobOf(given.data);
  const name = given.name ?? nameOf(given.data) ?? fallbackName;
  const type = given.type ?? (blob.type === '' ? typeOf(name) : blob.type);
  return { blob: type === blob.type ? blob : new Blob([blob], { type }), name };
}

async function givenOf(upload: Upload): Promise<FromData> {
  if (!isDescribed(upload)) return { data: upload };
  if ('data' in upload) return upload;
  const files = await nodeFiles();
  return { ...upload, name: upload.name ?? lastPartOf(upload.path), data: await files.readFile(upload.path) };
}

/** Plain objects describe; everything that carries bytes itself is data (Node's file streams have a `path` too). */
function isDescribed(upload: Upload): upload is FromPath | FromData {
  return Object.getPrototypeOf(upload) === Object.prototype && ('path' in upload || 'data' in upload);
}

/** Of a File, or of one of Node's file streams. */
function nameOf(data: UploadData): string | undefined {
  const { name, path } = data as { name?: unknown; path?: unknown };
  if (typeof name === 'string' && name !== '') return name;
  return typeof path === 'string' ? lastPartOf(path) : undefined;
}

function lastPartOf(path: string): string {
  return path.split(/[\\/]/).at(-1) ?? path;
}

async function blobOf(data: UploadData): Promise<Blob> {
  if (data instanceof Blob) return data;
  if (data instanceof ArrayBuffer || ArrayBuffer.isView(data)) return new Blob([data as Part]);
  if (data instanceof Response) return data.blob();
  const parts: Part[] = [];
  let size = 0;
  for await (const chunk of Symbol.asyncIterator in data ? data : chunksOf(data)) {
    size += chunk.length;
    if (size > LARGEST_BYTES) throw new RangeError('the stream is larger than 64 MB, the most a gateway takes');
    // A stream may use its buffer again.
    parts.push(typeof chunk === 'string' ? chunk : chunk.slice());
  }
  return new Blob(parts);
}

function typeOf(name: string): string {
  return TYPES[name.split('.').at(-1)?.toLowerCase() ?? ''] ?? '';
}

/** A multipart form: uploads become files, numbers and booleans text, absent fields nothing. */
export async function formOf(
  fields: Readonly<Record<string, unknown>>,
  files: Readonly<Record<string, Upload | readonly Upload[] | undefined>>,
): Promise<FormData> {
  const form = new FormData();
  for (const [key, value] of Object.entries(fields)) {
    if (value === undefined || value === null) continue;
    form.append(key, typeof value === 'string' ? value : JSON.stringify(value));
  }
  for (const [key, value] of Object.entries(files)) {
    const uploads = Array.isArray(value) ? (value as readonly Upload[]) : value === undefined ? [] : [value as Upload];
    for (const upload of uploads) {
      const { blob, name } = await fileOf(upload, key);
      form.append(key, blob, name);
    }
  }
  return form;
}

/** Told how many bytes of a form have gone out, of how many; the last time with all of them. */
export type UploadProgress = (sent: number, total: number) => void;

/**
 * The form as a request that tells how far it has come: a stream, made anew for every attempt. Where the runtime sends no streams (some
 * browsers) the form itself, and only its beginning is told.
 */
export async function countedForm(form: FormData, progress: UploadProgress): Promise<RequestInit> {
  const { headers, blob } = await wholeOf(form);
  progress(0, blob.size);
  if (!sendsStreams()) return { body: blob, headers };
  let sent = 0;
  const count = new TransformStream<Uint8Array, Uint8Array>({
    transform(chunk, controller) {
      controller.enqueue(chunk);
      sent += chunk.length;
      progress(sent, blob.size);
    },
  });
  const init: RequestInit & { duplex: 'half' } = { body: blob.stream().pipeThrough(count), headers, duplex: 'half' };
  return init;
}

async function wholeOf(form: FormData): Promise<{ headers: Record<string, string>; blob: Blob }> {
  const made = new Response(form);
  return { headers: { 'content-type': made.headers.get('content-type') ?? '' }, blob: await made.blob() };
}

/** Where streams are not sent, a request takes one for the text `[object ReadableStream]` and gives it a type. */
function sendsStreams(): boolean {
  try {
    const init: RequestInit & { duplex: 'half' } = { method: 'POST', body: new ReadableStream(), duplex: 'half' };
    return !new Request('http://127.0.0.1', init).headers.has('content-type');
  } catch {
    return false;
  }
}
