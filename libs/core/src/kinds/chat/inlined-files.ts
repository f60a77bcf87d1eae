/** Chat requests that name uploaded files: the files are put into them, so that every vendor, cache and guardrail sees what is in them. */
import { GatewayError, isJsonObject, type Json, type JsonObject } from '@model-gateway/contracts';
import { dialects, type FileParts, type InlineFile } from '@model-gateway/translate';
import type { CountCall } from './count.ts';
import type { Chat, FileInBody } from './types.ts';
import type { Tenant, UploadedFileRecord } from '../../ports.ts';
import { noSuchFile, uploadedFileId, type UploadedFiles } from '../../files/uploaded-files.ts';

/** Bodies up to here are searched for an id byte by byte; larger ones are mostly media, and their parts are looked at instead. */
const SEARCHED_BYTES = 1024 * 1024;
/** How ids of files begin, in each spelling, and what all of them have in it: hardly a body has it by chance. */
const NEEDLES = ['file-gw', 'file_gw', 'files/gw'] as const;
const IN_ALL = Buffer.from('gw');
/** Members of requests that hold messages. */
const ROOTS: ReadonlySet<string> = new Set(['messages', 'input', 'contents', 'generateContentRequest']);
/** What a model wrote there is no part of a message. */
const FREE_NAMES: ReadonlySet<string> = new Set(['args', 'arguments', 'input', 'parameters', 'response']);
const MOST_FILES = 100;
/** Bytes of files that all requests of a process have in them while they wait for the vendor; one owner may have half. */
const MOST_UNDER_WAY = 256 * 1024 * 1024;
/** What a byte of a file takes while it is put in: itself, as base64, and in the body that is sent. */
const COPIES = 3;
const RETRY_AFTER_SECONDS = 2;
const TEXTS =
  /^(?:text\/|application\/(?:json|jsonl|xml|yaml|x-ndjson|javascript)$|application\/[\w.-]+\+(?:json|xml)$)/;

export interface InlinedFilesOptions {
  readonly files: UploadedFiles;
  readonly largestBody: number;
  /** Bytes from which on a file is uploaded to its vendor: of smaller ones the upload would cost more than it saves. */
  readonly namedFrom: number;
}

export class InlinedFiles {
  private readonly files: UploadedFiles;
  /** Bytes of the files of one request. */
  private readonly most: number;
  private readonly namedFrom: number;
  private readonly owners = new Map<number, number>();
  private all = 0;

  constructor({ files, largestBody, namedFrom }: InlinedFilesOptions) {
    this.files = files;
    this.namedFrom = namedFrom;
    // As base64 they must fit into what a body may have.
    this.most = Math.floor((largestBody * 3) / 4);
  }

  /** The chat, whose requests may name files. */
  chat(chat: Chat): Chat {
    return {
      answer: (call, trace) =>
        namesFiles(call) ? this.with(call, (inlined) => chat.answer(inlined, trace)) : chat.answer(call, trace),
    };
  }

  /** The counting of tokens, whose requests may name files. */
  count<Counted>(count: (call: CountCall) => Promise<Counted>): (call: CountCall) => Promise<Counted> {
    return (call) => (namesFiles(call) ? this.with(call, count) : count(call));
  }

  /** Does the work with the files in the body. Throws `not_found` naming the field for a file that the caller does not have. */
  private async with<Call extends CountCall, Result>(
    call: Call,
    work: (call: Call) => Promise<Result>,
  ): Promise<Result> {
    const { key, signal } = call.caller;
    const { files: parts } = dialects[call.dialect];
    const places = placesIn(call.body.json, parts);
    if (places.size === 0) return work(call);
    if (places.size > MOST_FILES)
      throw new GatewayError('invalid_request', `the request names more than ${MOST_FILES} files`);
    const found = await this.find(key, places);
    const bytes = [...found.values()].reduce((sum, { size }) => sum + size, 0);
    if (bytes > this.most)
      throw new GatewayError(
        'body_too_large',
        `the files of this request have ${bytes} bytes; a request may have at most ${this.most}`,
      );
    return this.counted(key.ownerId, bytes * COPIES, async () => {
      const inline = new Map<string, InlineFile>();
      const large: FileInBody[] = [];
      for (const [id, file] of found) {
        const read = await this.read(file, signal);
        inline.set(id, read);
        if (file.size >= this.namedFrom && read.text === undefined) large.push({ file, base64: read.data });
      }
      const json = replaced(call.body.json, parts, inline);
      const body = { json, bytes: Buffer.from(JSON.stringify(json)) };
      return work({ ...call, body, ...(large.length > 0 && { files: large }) });
    });
  }

  private async find(tenant: Tenant, places: ReadonlyMap<string, string>): Promise<Map<string, UploadedFileRecord>> {
    const found = new Map<string, UploadedFileRecord>();
    for (const [id, param] of places) {
      const file = await this.files.get(tenant, id).catch((error: unknown) => {
        throw error instanceof GatewayError && error.code === 'not_found' ? noSuchFile(id, param) : error;
      });
      found.set(id, file);
    }
    return found;
  }

  private async read(file: UploadedFileRecord, signal: AbortSignal): Promise<InlineFile> {
    const { filename, mime } = file;
    const chunks: Uint8Array[] = [];
    for await (const chunk of await this.files.open(file, { signal })) chunks.push(chunk);
    const bytes = Buffer.concat(chunks);
    const text = TEXTS.test(mime) ? bytes.toString() : undefined;
    return { filename, mime, data: bytes.toString('base64'), ...(text !== undefined && { text }) };
  }

  /** Counts the bytes while the work is done; throws `rate_limited` where they do not fit. */
  private async counted<Result>(owner: number, bytes: number, work: () => Promise<Result>): Promise<Result> {
    const own = this.owners.get(owner) ?? 0;
    // One request that fits a body always fits when nothing else is under way.
    const isFull = this.all > 0 && this.all + bytes > MOST_UNDER_WAY;
    if (isFull || (own > 0 && own + bytes > MOST_UNDER_WAY / 2))
      throw new GatewayError(
        'rate_limited',
        `running requests use all the memory that this gateway has for files; try again in ${RETRY_AFTER_SECONDS} seconds`,
        { retryAfterSeconds: RETRY_AFTER_SECONDS },
      );
    this.add(owner, bytes);
    try {
      return await work();
    } finally {
      this.add(owner, -bytes);
    }
  }

  private add(owner: number, bytes: number): void {
    this.all += bytes;
    const now = (this.owners.get(owner) ?? 0) + bytes;
    if (now === 0) this.owners.delete(owner);
    else this.owners.set(owner, now);
  }
}

/** Whether there may be a file to put in: cheap, for requests that name none. */
function namesFiles({ body: { bytes } }: Pick<CountCall, 'body'>): boolean {
  if (bytes.length > SEARCHED_BYTES) return true;
  return bytes.includes(IN_ALL) && NEEDLES.some((needle) => bytes.includes(needle));
}

/** The files of the gateway's own that the messages name, by id as it is written, and the first place of each. */
function placesIn(body: JsonObject, parts: FileParts): ReadonlyMap<string, string> {
  const places = new Map<string, string>();
  const look = (value: Json | undefined, place: string): void => {
    if (Array.isArray(value)) value.forEach((each, index) => look(each, `${place}[${index}]`));
    else if (isJsonObject(value)) {
      const id = ownIdIn(value, parts);
      if (id !== undefined && !places.has(id)) places.set(id, place);
      for (const [name, each] of Object.entries(value))
        if (typeof each === 'object' && !FREE_NAMES.has(name)) look(each, `${place}.${name}`);
    }
  };
  for (const name of ROOTS) look(body[name], name);
  return places;
}

function ownIdIn(part: JsonObject, parts: FileParts): string | undefined {
  const id = parts.idIn(part);
  return id !== undefined && uploadedFileId(id) !== undefined ? id : undefined;
}

/** The body with the files in place of their ids; what names none is the same object. */
function replaced(body: JsonObject, parts: FileParts, files: ReadonlyMap<string, InlineFile>): JsonObject {
  const inlined = (value: Json): Json => {
    if (Array.isArray(value)) return value.map(inlined);
    if (!isJsonObject(value)) return value;
    const id = ownIdIn(value, parts);
    const file = id === undefined ? undefined : files.get(id);
    if (file !== undefined) return parts.inline(value, file);
    return Object.fromEntries(
      Object.entries(value).map(([name, each]) => [name, FREE_NAMES.has(name) ? each : inlined(each ?? null)]),
    );
  };
  return Object.fromEntries(
    Object.entries(body).map(([name, each]) => [name, ROOTS.has(name) ? inlined(each ?? null) : (each ?? null)]),
  );
}
