/** `/_twin`: a test in any language scripts faults and looks at what arrived (docs/guides/twin.md). */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { isJsonObject } from '@model-gateway/contracts';
import { OPERATIONS, type FaultAim, type Operation, type ScriptedFaults, type TwinFault } from './faults.ts';
import { bracketed, Reader, type Problem } from './reader.ts';
import { Refusal } from './refusal.ts';
import type { RequestRing, TwinRequest } from './requests.ts';
import type { Stage } from './stage.ts';
import type { TwinCredentials } from './vendor.ts';

export const CONTROL_MOUNT = '_twin';

/** Where each vendor is, and what it takes for credentials. */
export interface TwinAbout {
  readonly url: string;
  readonly vendors: readonly {
    readonly name: string;
    readonly baseUrl: string;
    readonly credentials: TwinCredentials;
  }[];
}

export interface TwinControlParts {
  readonly stage: Stage;
  readonly faults: ScriptedFaults;
  readonly requests: RequestRing;
  readonly about: () => TwinAbout;
}

const LONGEST_MS = 600_000;
/** Somebody may point a real key at the twin: what it shows holds none. */
const CREDENTIALS = /authorization|cookie|api-key|auth-token|secret|security-token/i;
const CREDENTIALS_IN_QUERY = /([?&](?:key|access_token|token|signature)=)[^&]*/gi;

/** What each fault takes beside its name, and how it is read. */
const FAULTS: {
  readonly [Kind in TwinFault['kind']]: readonly [members: string, read: (from: Reader) => FaultOf<Kind>];
} = {
  status: ['status retry_after headers body', readStatus],
  slow: ['ms', (from) => ({ kind: 'slow', ms: milliseconds(from) })],
  'slow-first-token': ['ms', (from) => ({ kind: 'slow-first-token', ms: milliseconds(from) })],
  'late-usage': ['ms', (from) => ({ kind: 'late-usage', ms: milliseconds(from) })],
  hang: ['', () => ({ kind: 'hang' })],
  reset: ['', () => ({ kind: 'reset' })],
  'no-answer': ['', () => ({ kind: 'no-answer' })],
  cut: ['after_events after_bytes', readCut],
  stall: ['after_events', (from) => ({ kind: 'stall', afterEvents: from.optionalInteger('after_events', 0) ?? 3 })],
  'error-event': [
    'after_events',
    (from) => ({ kind: 'error-event', afterEvents: from.optionalInteger('after_events', 0) ?? 0 }),
  ],
  malformed: ['', () => ({ kind: 'malformed' })],
  'torn-json': ['', () => ({ kind: 'torn-json' })],
  'content-type': ['value', (from) => ({ kind: 'content-type', value: from.string('value', 200) })],
  dribble: ['bytes ms', readDribble],
  refusal: ['', () => ({ kind: 'refusal' })],
  moderation: ['', () => ({ kind: 'moderation' })],
  fail: ['', () => ({ kind: 'fail' })],
  never: ['', () => ({ kind: 'never' })],
  'unknown-status': ['word', readUnknownStatus],
};
type FaultOf<Kind> = Extract<TwinFault, { kind: Kind }>;
const KINDS = Object.keys(FAULTS) as readonly TwinFault['kind'][];
const AIM = ['fault', 'vendor', 'operation', 'path', 'model', 'times'];

interface Asked {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly path: string;
  /** Undefined when it was too large. */
  readonly body: Buffer | undefined;
}

/** Answers what is asked below `/_twin`. */
export class TwinControl {
  readonly #parts: TwinControlParts;

  constructor(parts: TwinControlParts) {
    this.#parts = parts;
  }

  answer({ request, response, path, body }: Asked): void {
    let [status, shown]: readonly [number, unknown] = [200, undefined];
    try {
      [status, shown] = this.#act(`${request.method} ${path}`, request, body);
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      [status, shown] = [error.status, error.body];
    }
    response.writeHead(status, { 'content-type': 'application/json' });
    response.end(`${JSON.stringify(shown)}\n`);
  }

  #act(action: string, request: IncomingMessage, body: Buffer | undefined): readonly [status: number, shown: unknown] {
    const { about, faults, requests, stage } = this.#parts;
    switch (action) {
      case 'GET /':
        return [200, shownAbout(about())];
      case 'GET /faults':
        return [200, this.#shownFaults()];
      case 'POST /faults':
        this.#script(jsonOf(request, body));
        return [201, this.#shownFaults()];
      case 'DELETE /faults':
        faults.clear();
        return [200, this.#shownFaults()];
      case 'GET /requests':
        return [200, { requests: requests.list(filterOf(request)).map(shownRequest) }];
      case 'POST /reset':
        faults.clear();
        requests.clear();
        stage.seenMarkers.clear();
        stage.seenPrefixes.clear();
        return [200, this.#shownFaults()];
      default:
        throw refusal(
          404,
          'There are GET /_twin, GET, POST and DELETE /_twin/faults, GET /_twin/requests and POST /_twin/reset.',
        );
    }
  }

  /** All of a list, or none of it. */
  #script(asked: unknown): void {
    const vendors = this.#parts.about().vendors.map(({ name }) => name);
    const all = (Array.isArray(asked) ? asked : [asked]).map((item, index) => {
      const from = new Reader(item, Array.isArray(asked) ? [index] : [], complain);
      const kind = from.oneOf('fault', KINDS);
      const [members, read] = FAULTS[kind];
      from.only(new Set([...AIM, ...members.split(' ')]));
      const aim: FaultAim = {
        vendor: from.optionalOneOf('vendor', vendors),
        operation: from.optionalOneOf<Operation>('operation', OPERATIONS),
        path: from.optionalString('path'),
        model: from.optionalString('model'),
      };
      return { aim, fault: read(from), times: timesOf(from) };
    });
    for (const { aim, fault, times } of all) this.#parts.faults.script(aim, fault, times);
  }

  #shownFaults(): object {
    const faults = this.#parts.faults.list().map(({ aim, fault: { kind, ...members }, left }) => ({
      fault: kind,
      ...Object.fromEntries(Object.entries(members).map(([name, value]) => [MEMBERS[name] ?? name, value])),
      ...aim,
      left: Number.isFinite(left) ? left : 'always',
    }));
    return { faults };
  }
}

/** Names of a fault's members where the API has others. */
const MEMBERS: Readonly<Record<string, string>> = {
  afterEvents: 'after_events',
  afterBytes: 'after_bytes',
  bytesPerWrite: 'bytes',
  delayMs: 'ms',
};

function shownAbout({ url, vendors }: TwinAbout): object {
  return { url, vendors: vendors.map(({ name, baseUrl, credentials }) => ({ name, base_url: baseUrl, credentials })) };
}

function shownRequest({ vendor, operation, method, path, headers, body, json, at, status }: TwinRequest): object {
  const shown = Object.entries(headers).filter(([name]) => !CREDENTIALS.test(name));
  return {
    ...{ vendor, operation, method, at: new Date(at).toISOString(), status: status ?? null },
    path: path.replace(CREDENTIALS_IN_QUERY, '$1…'),
    headers: Object.fromEntries(shown),
    body: json ?? body,
  };
}

function filterOf(request: IncomingMessage): { readonly vendor?: string; readonly operation?: Operation } {
  const asked = new URL(request.url ?? '/', 'http://twin').searchParams;
  const operation = OPERATIONS.find((each) => each === asked.get('operation'));
  const vendor = asked.get('vendor');
  return { ...(vendor !== null && { vendor }), ...(operation !== undefined && { operation }) };
}

function timesOf(from: Reader): number {
  return from.value['times'] === 'always' ? Number.POSITIVE_INFINITY : (from.optionalInteger('times', 1) ?? 1);
}

function milliseconds(from: Reader): number {
  return from.optionalNumber('ms', 0, LONGEST_MS) ?? 1000;
}

function readStatus(from: Reader): FaultOf<'status'> {
  const retryAfter = from.optionalNumber('retry_after', 0);
  const headers = from.optionalObject('headers');
  const { body } = from.value;
  return {
    kind: 'status',
    status: from.integer('status', 400, 599),
    headers: {
      ...Object.fromEntries(
        Object.keys(headers?.value ?? {}).map((name) => [name.toLowerCase(), headers?.string(name)]),
      ),
      ...(retryAfter !== undefined && { 'retry-after': String(retryAfter) }),
    },
    ...(body !== undefined && { body }),
  };
}

function readCut(from: Reader): FaultOf<'cut'> {
  const [afterEvents, afterBytes] = [from.optionalInteger('after_events', 0), from.optionalInteger('after_bytes', 0)];
  if (afterBytes !== undefined && afterEvents === undefined) return { kind: 'cut', afterBytes };
  return { kind: 'cut', afterEvents: afterEvents ?? 3, ...(afterBytes !== undefined && { afterBytes }) };
}

function readDribble(from: Reader): FaultOf<'dribble'> {
  const delayMs = from.optionalNumber('ms', 0, LONGEST_MS);
  return {
    kind: 'dribble',
    bytesPerWrite: from.optionalInteger('bytes', 1) ?? 7,
    ...(delayMs !== undefined && { delayMs }),
  };
}

function readUnknownStatus(from: Reader): FaultOf<'unknown-status'> {
  const word = from.optionalString('word', 100);
  return { kind: 'unknown-status', ...(word !== undefined && { word }) };
}

/** The body of a request for JSON, which no page of a browser can send without being asked first whether it may. */
function jsonOf(request: IncomingMessage, body: Buffer | undefined): unknown {
  if (!/^application\/json\b/.test(request.headers['content-type'] ?? ''))
    throw refusal(415, 'Send JSON, with content-type: application/json.');
  if (body === undefined) throw refusal(413, 'The body is too large.');
  try {
    const value: unknown = JSON.parse(body.toString('utf8'));
    if (isJsonObject(value) || Array.isArray(value)) return value;
  } catch {
    // Said below.
  }
  throw refusal(400, 'Send one fault as a JSON object, or a list of them.');
}

function complain({ kind, path, want }: Problem): Refusal {
  const at = bracketed(path);
  const what = { missing: 'is missing', type: 'has the wrong type', value: 'is wrong', unknown: 'is not known' }[kind];
  return refusal(
    400,
    kind === 'unknown' ? `${at} ${what} for this fault.` : `${at === '' ? 'The body' : at} ${what}: expected ${want}.`,
  );
}

function refusal(status: number, message: string): Refusal {
  return new Refusal(status, { error: { message } });
}
