/** Multipart forms as streams: fields in memory, files in bounded temporary storage, gone when the request is over. */
import { createReadStream, createWriteStream } from 'node:fs';
import { open, mkdtemp, readdir, rm } from 'node:fs/promises';
import type { IncomingMessage } from 'node:http';
import { join } from 'node:path';
import { finished, pipeline } from 'node:stream/promises';
import type { Readable } from 'node:stream';
import { Busboy, type BusboyFileStream } from '@fastify/busboy';
import type { Request } from 'express';
import { GatewayError } from '@model-gateway/contracts';
import { tmpdir } from 'node:os';
import type { BodyHold } from './steps/body-budget.ts';

const MOST_FIELDS = 60;
const LONGEST_FIELD = 256 * 1024;
const HEAD_BYTES = 256 * 1024;

/** The body is a multipart form: routes read those as streams, and check every field themselves. */
export function isForm(request: IncomingMessage): boolean {
  return /^multipart\/form-data\b/i.test(request.headers['content-type'] ?? '');
}

export interface FormFile {
  readonly name: string;
  readonly filename: string;
  /** By its bytes; '' when unknown. */
  readonly mime: string;
  readonly size: number;
  /** The first 256 KiB, enough for every picture's dimensions. */
  readonly head: Uint8Array;
  /** Where it lies until the form is disposed of. */
  readonly path: string;
  open(): AsyncIterable<Uint8Array>;
}
export interface Form {
  /** Of a field that came several times the last value. */
  readonly fields: ReadonlyMap<string, string>;
  /** Every value of every field, in their order. */
  readonly values: ReadonlyMap<string, readonly string[]>;
  readonly files: readonly FormFile[];
  /** Removes the files. Idempotent. */
  dispose(): Promise<void>;
}
export interface FormLimits {
  readonly mostFiles: number;
  /** Bytes of one file. */
  readonly largestFile: number;
  /** Bytes of the whole body. */
  readonly largestBody: number;
  /** Counts what comes; without one it is not counted. */
  readonly hold: BodyHold | undefined;
}

/** Reads a form to its end; throws `invalid_request` or `body_too_large` naming the field, with nothing left behind. */
export async function readForm(request: Request, limits: FormLimits): Promise<Form> {
  if (Number(request.headers['content-length'] ?? 0) > limits.largestBody)
    throw tooLarge('the form', limits.largestBody);
  const refusal = await limits.hold?.admit(Number(request.headers['content-length'] ?? 0));
  if (refusal !== undefined) throw refusal;
  const { folder, dispose } = await openFormFolder();
  try {
    let count = 0;
    const keep = (part: FormPart): Promise<FormFile> => writeFile(part, join(folder, String(count++)));
    return { ...(await readFormParts(request, limits, keep)), dispose };
  } catch (error) {
    await dispose();
    throw error;
  }
}

/** A file of a form, as it comes. */
export interface FormPart {
  /** Of its field. */
  readonly name: string;
  readonly filename: string;
  /** The declared type. */
  readonly mime: string;
  readonly stream: Readable;
  /** The fields, when the form has come to its end: they may stand behind the file. */
  readonly fields: Promise<ReadonlyMap<string, string>>;
}

/** What a form holds, its files as whoever kept them calls them. */
export interface FormParts<Kept> extends Pick<Form, 'fields' | 'values'> {
  readonly files: readonly Kept[];
}

/** Reads a form to its end and gives its files to `keep` as they come; fields may come later. Throws as `readForm`, and what `keep` throws. */
export async function readFormParts<Kept>(
  request: Request,
  limits: FormLimits,
  keep: (part: FormPart) => Promise<Kept>,
): Promise<FormParts<Kept>> {
  const values = new Map<string, string[]>();
  const writing: Promise<Kept>[] = [];
  const arriving: Readable[] = [];
  const form = openForm(request, limits);
  // A file may be refused after the parser has come to the end.
  form.on('error', () => undefined);
  const ended = Promise.withResolvers<ReadonlyMap<string, string>>();
  ended.promise.catch(() => undefined);
  let fault: Error | undefined;
  const fail = (reason: unknown): void => {
    const error = reason instanceof Error ? reason : new Error(String(reason));
    fault ??= error;
    ended.reject(fault);
    request.unpipe(form);
    request.resume();
    form.destroy(error);
    // The parser leaves a file that it was in the middle of open for ever.
    for (const stream of arriving) stream.destroy(error);
  };
  form.on('field', (name: string, value: string, _nameCut: boolean, valueCut: boolean) => {
    if (valueCut) fail(tooLarge(`the field ${name}`, LONGEST_FIELD, name));
    else values.set(name, [...(values.get(name) ?? []), value]);
  });
  form.on('file', (name: string, stream: BusboyFileStream, filename: string, _encoding: string, mime: string) => {
    arriving.push(stream);
    // Whoever keeps it may have gone before it is destroyed.
    stream.on('error', () => undefined);
    stream.on('limit', () => fail(tooLarge(`the file ${name}`, limits.largestFile, name)));
    const kept = keep({ name, filename, mime, stream, fields: ended.promise });
    // Nobody reads the file any more: without it the form would never end.
    kept.catch((error: unknown) => fail(isCutShort(error) ? broken() : error));
    writing.push(kept);
  });
  form.on('filesLimit', () =>
    fail(new GatewayError('invalid_request', `the form has more than ${limits.mostFiles} files`)),
  );
  form.on('fieldsLimit', () =>
    fail(new GatewayError('invalid_request', `the form has more than ${MOST_FIELDS} fields`)),
  );
  let size = 0;
  request.on('data', (chunk: Buffer) => {
    if (fault !== undefined) return;
    size += chunk.length;
    const refused =
      size > limits.largestBody ? tooLarge('the form', limits.largestBody) : limits.hold?.take(chunk.length);
    if (refused !== undefined) fail(refused);
  });
  request.on('aborted', () => fail(new GatewayError('invalid_request', 'the form ends too early')));
  request.pipe(form);
  try {
    await finished(form);
    const fields = new Map([...values].map(([name, all]) => [name, all.at(-1) ?? '']));
    ended.resolve(fields);
    const files = await Promise.all(writing);
    if (fault !== undefined) throw fault;
    return { fields, values, files };
  } catch {
    ended.reject(fault ?? broken());
    await Promise.allSettled(writing);
    throw fault ?? broken();
  }
}

/** What the parser says of a file whose form ends in the middle of it. */
function isCutShort(error: unknown): boolean {
  return error instanceof Error && error.message.startsWith('Part terminated early');
}

function broken(): GatewayError {
  return new GatewayError('invalid_request', 'the form is malformed or ends too early');
}

function openForm(request: Request, limits: FormLimits): InstanceType<typeof Busboy> {
  try {
    return new Busboy({
      headers: request.headers as { 'content-type': string },
      limits: {
        fields: MOST_FIELDS,
        fieldSize: LONGEST_FIELD,
        files: limits.mostFiles,
        fileSize: limits.largestFile,
        headerPairs: 50,
      },
    });
  } catch {
    throw new GatewayError('invalid_request', 'the content-type of the form names no boundary');
  }
}

async function writeFile({ name, filename, stream }: FormPart, path: string): Promise<FormFile> {
  await pipeline(stream, createWriteStream(path));
  const file = await open(path);
  try {
    const { size } = await file.stat();
    const head = Buffer.alloc(Math.min(size, HEAD_BYTES));
    await file.read(head, 0, head.length, 0);
    const { fileTypeFromBuffer } = await import('file-type');
    const mime = (await fileTypeFromBuffer(head))?.mime ?? '';
    return { name, filename, mime, size, head, path, open: () => createReadStream(path) };
  } finally {
    await file.close();
  }
}

function tooLarge(what: string, limit: number, param?: string): GatewayError {
  return new GatewayError(
    'body_too_large',
    `${what} is larger than ${limit >= 1024 * 1024 ? `${Math.floor(limit / 1024 / 1024)} MB` : `${limit} bytes`}`,
    param === undefined ? {} : { param },
  );
}

const NAME = /^model-gateway-form-(\d+)-/;
/** Those of this process that are in use. */
const used = new Set<string>();

export interface FormFolder {
  readonly folder: string;
  /** Removes it and what is in it. Idempotent. */
  readonly dispose: () => Promise<void>;
}

/** Makes a folder for one form. With the process in its name: what a killed one left is told from what is in use. */
export async function openFormFolder(parent = tmpdir()): Promise<FormFolder> {
  const folder = await mkdtemp(join(parent, `model-gateway-form-${process.pid}-`));
  used.add(folder);
  return {
    folder,
    async dispose() {
      await rm(folder, { recursive: true, force: true });
      used.delete(folder);
    },
  };
}

/** Removes what processes that were killed have left; resolves with how many folders that were. */
export async function sweepFormFolders(): Promise<number> {
  const names = await readdir(tmpdir()).catch(() => []);
  const left = names.filter((name) => {
    const pid = Number(NAME.exec(name)?.[1] ?? 0);
    if (pid === 0) return false;
    // In containers the number of the process before is often the own one.
    return pid === process.pid ? !used.has(join(tmpdir(), name)) : !isRunning(pid);
  });
  const removed = await Promise.allSettled(left.map((name) => rm(join(tmpdir(), name), { recursive: true })));
  return removed.filter(({ status }) => status === 'fulfilled').length;
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // Somebody else's process is one, too.
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}
