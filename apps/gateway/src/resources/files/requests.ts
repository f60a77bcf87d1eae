/** What requests on files say: one file by form, written to the store as it comes, its purpose and expiry. */
import type { Request, Response } from 'express';
import { GatewayError } from '@model-gateway/contracts';
import type {
  AskedPart,
  Caller,
  Content,
  FileFacts,
  Tenant,
  UploadedFileRecord,
  UploadedFiles,
  Uploads,
} from '@model-gateway/core';
import type { Handler } from '../../http/operation.ts';
import { isForm, readFormParts, type FormPart } from '../../http/form.ts';

export const PURPOSES = ['assistants', 'batch', 'evals', 'fine-tune', 'user_data', 'vision'] as const;
export type Purpose = (typeof PURPOSES)[number];

export interface FileRouteParts {
  readonly files: UploadedFiles;
  readonly uploads: Uploads;
  readonly now: () => number;
  readonly publicUrl: () => string;
  /** A video that was made here, where the id is that of its file. */
  readonly openVideo: (
    caller: Caller,
    fileId: string,
    options: { readonly part?: AskedPart; readonly signal: AbortSignal },
  ) => Promise<Content | undefined>;
}

/** What a form has beside its file. */
const FORM_BYTES = 1024 * 1024;
const SHORTEST_SECONDS = 3600;
const LONGEST_SECONDS = 30 * 24 * 3600;
/** A batch is read within a day. */
const BATCH_SECONDS = LONGEST_SECONDS;

export interface FileForm {
  readonly request: Request;
  readonly response: Response;
  /** Of a form that need not name one. */
  readonly usualPurpose?: Purpose;
  readonly now: () => number;
}

/** Keeps the one file of the form. Throws `invalid_request` naming the field. */
export async function keepFileOf(
  files: UploadedFiles,
  { request, response, usualPurpose, now }: FileForm,
): Promise<UploadedFileRecord> {
  return keepOneFile(
    request,
    { field: 'file', largest: files.largest },
    ({ stream, filename, mime, fields }, announced) =>
      files.create(tenantOf(response), {
        body: stream,
        announced,
        facts: async () => {
          const said = await fields;
          const purpose = purposeIn(said.get('purpose') ?? usualPurpose);
          const seconds = keepSecondsIn(said.get('expires_after[anchor]'), said.get('expires_after[seconds]'));
          return { filename, mime, purpose, ...expiryOf(purpose, seconds, now()) };
        },
      }),
  );
}

/** Uploads that one owner may have under way in a process, and all of them together: each holds a connection, a file and a few buffers. */
const MOST_OF_OWNER = 32;
const MOST_UNDER_WAY = 256;
const RETRY_AFTER_SECONDS = 5;

/** Bounds uploads that are under way: a slow one takes its place for minutes. */
export class UploadPlaces {
  private readonly owners = new Map<number, number>();
  private all = 0;

  /** The handler within the bound; `rate_limited` beyond it. */
  within(handler: Handler): Handler {
    return async (request, response) => {
      const { ownerId } = tenantOf(response);
      const own = this.owners.get(ownerId) ?? 0;
      if (own >= MOST_OF_OWNER || this.all >= MOST_UNDER_WAY)
        throw new GatewayError(
          'rate_limited',
          `${own >= MOST_OF_OWNER ? `your account has ${own}` : 'there are too many'} uploads under way; try again when some have ended`,
          { retryAfterSeconds: RETRY_AFTER_SECONDS },
        );
      this.add(ownerId, 1);
      try {
        await handler(request, response);
      } finally {
        this.add(ownerId, -1);
      }
    };
  }

  private add(ownerId: number, by: number): void {
    this.all += by;
    const now = (this.owners.get(ownerId) ?? 0) + by;
    if (now === 0) this.owners.delete(ownerId);
    else this.owners.set(ownerId, now);
  }
}

/** Gives the one file of a form to `keep` as it comes. Throws `invalid_request` where it is in another field, or there is none. */
export async function keepOneFile<Kept>(
  request: Request,
  { field, largest }: { readonly field: string; readonly largest: number },
  keep: (part: FormPart, announced: number) => Promise<Kept>,
): Promise<Kept> {
  if (!isForm(request)) throw new GatewayError('unsupported_media_type', 'send the file as multipart/form-data');
  const announced = Math.min(Number(request.headers['content-length'] ?? 0), largest);
  // Only a chunk of it is in memory: it takes nothing of what bodies may take.
  const limits = { mostFiles: 1, largestFile: largest, largestBody: largest + FORM_BYTES, hold: undefined };
  const { files } = await readFormParts(request, limits, async (part) => {
    if (part.name === field) return keep(part, announced);
    throw new GatewayError('invalid_request', `send the file in the field ${field}, not in ${part.name.slice(0, 80)}`, {
      param: field,
    });
  });
  const [file] = files;
  if (file === undefined)
    throw new GatewayError('invalid_request', `the form has no file in the field ${field}`, { param: field });
  return file;
}

/** The id in the path, in whichever spelling. */
export function idOf(request: Request): string {
  return String(request.params['uploaded_file_id']);
}

/** Owner and mode of the caller. */
export function tenantOf(response: Response): Tenant {
  const { ownerId, mode } = response.locals.exchange.caller.key;
  return { ownerId, mode };
}

/** Throws where it is none that a caller may name. */
export function purposeIn(given: string | undefined): Purpose {
  const purpose = PURPOSES.find((each) => each === given);
  if (purpose !== undefined) return purpose;
  throw new GatewayError(
    'invalid_request',
    `purpose is ${given === undefined ? 'missing' : `'${given.slice(0, 80)}'`}; it must be one of ${PURPOSES.join(', ')}`,
    { param: 'purpose' },
  );
}

/** The seconds of `expires_after`; undefined where nothing is said. */
export function keepSecondsIn(anchor: string | undefined, given: string | number | undefined): number | undefined {
  if (anchor === undefined && given === undefined) return undefined;
  if (anchor !== undefined && anchor !== 'created_at')
    throw new GatewayError('invalid_request', 'expires_after[anchor] must be created_at', { param: 'expires_after' });
  const seconds = Number(given);
  if (Number.isInteger(seconds) && seconds >= SHORTEST_SECONDS && seconds <= LONGEST_SECONDS) return seconds;
  throw new GatewayError(
    'invalid_request',
    `expires_after[seconds] must be a whole number from ${SHORTEST_SECONDS} (an hour) to ${LONGEST_SECONDS} (thirty days)`,
    { param: 'expires_after' },
  );
}

/** When such a file is deleted by itself. */
export function expiryOf(purpose: string, seconds: number | undefined, now: number): Pick<FileFacts, 'expiresAt'> {
  const kept = seconds ?? (purpose === 'batch' ? BATCH_SECONDS : undefined);
  return kept === undefined ? {} : { expiresAt: now + kept * 1000 };
}
