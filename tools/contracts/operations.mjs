// The operations of the document and what their `x-gateway` says of them (spec/README.md explains the fields).
import { WIRE_NAMES } from '../../libs/contracts/src/dialects.ts';

const METHODS = ['get', 'put', 'post', 'delete', 'options', 'head', 'patch', 'trace'];

const BOOLEAN = [true, false];
/** The fields of `x-gateway` and what each may be; the first five are always written. */
const FIELDS = {
  access: ['key', 'admin', 'any-key', 'signed-link', 'public'],
  member: BOOLEAN,
  errors: [...WIRE_NAMES, 'task', 'json-rpc'],
  paid: BOOLEAN,
  limited: BOOLEAN,
  logged: BOOLEAN,
  streams: BOOLEAN,
  metric: undefined,
  kind: undefined,
  dialect: WIRE_NAMES,
  model: ['body', 'path', 'query', 'optional'],
  idempotent: ['stored-answer', 'secret', 'task', 'ledger-entry'],
  signedLink: ['video', 'file', 'webhook'],
  openAiStatuses: BOOLEAN,
  everyPort: BOOLEAN,
  adminPort: BOOLEAN,
  job: undefined,
  forwards: BOOLEAN,
};
const REQUIRED = ['access', 'errors', 'paid', 'limited', 'streams', 'metric'];

/** Every operation of the bundled document in its order; throws with all faults at once. */
export function operationsOf(document) {
  const faults = [];
  const operations = Object.entries(document.paths).flatMap(([path, item]) =>
    Object.entries(item).flatMap(([method, operation]) => {
      if (!METHODS.includes(method)) return [];
      const facts = operation['x-gateway'];
      const id = operation.operationId;
      const told = (fault) => faults.push(`${id} (${method} ${path}): ${fault}`);
      if (facts === undefined) told('x-gateway is missing');
      else for (const fault of [...faultsOf(facts), ...contradictions(facts, operation, path)]) told(fault);
      return [
        {
          id,
          method: method.toUpperCase(),
          path,
          ...facts,
          form: takesForm(operation),
          rawBody: takesBytes(operation),
          socket: operation.responses['101'] !== undefined,
        },
      ];
    }),
  );
  if (faults.length > 0) throw new Error(faults.join('\n'));
  return operations;
}

function faultsOf(facts) {
  const faults = [];
  for (const name of REQUIRED) if (facts[name] === undefined) faults.push(`x-gateway.${name} is missing`);
  for (const [name, value] of Object.entries(facts)) {
    if (!(name in FIELDS)) faults.push(`x-gateway.${name} is no field; there are ${Object.keys(FIELDS).join(', ')}`);
    else if (FIELDS[name] !== undefined && !FIELDS[name].includes(value))
      faults.push(`x-gateway.${name} is ${JSON.stringify(value)}; it must be one of ${FIELDS[name].join(', ')}`);
  }
  if (facts.member === true && facts.access !== 'key' && facts.access !== 'any-key')
    faults.push('x-gateway.member belongs to operations that take a key');
  if (facts.logged !== undefined && (facts.limited !== true || facts.paid === true))
    faults.push('x-gateway.logged belongs to what counts against limits and costs nothing');
  if (facts.paid === true && facts.limited !== true) faults.push('x-gateway: what is paid is limited');
  if (facts.paid === true && facts.idempotent === undefined && facts.forwards !== true)
    faults.push('x-gateway: what is paid is idempotent');
  if ((facts.kind === undefined) !== (facts.model === undefined))
    faults.push('x-gateway: a kind of model and the place of the model belong together');
  return faults;
}

/** What the document itself says must agree with what is said of it. */
function contradictions(facts, operation, path) {
  const faults = [];
  const keys = (operation.security ?? [{ bearerKey: [] }]).flatMap((each) => Object.keys(each));
  const needs = { key: 'bearerKey', admin: 'adminKey', 'any-key': 'bearerKey', 'signed-link': 'signedLink' }[
    facts.access
  ];
  if (needs === undefined ? keys.some((key) => key !== 'metricsKey') : !keys.includes(needs))
    faults.push(`x-gateway.access is ${facts.access}, and security names ${keys.join(', ') || 'nothing'}`);
  if (keys.includes('signedLink') !== (facts.signedLink !== undefined))
    faults.push('x-gateway.signedLink belongs to operations whose security names signedLink');
  const streams = Object.values(operation.responses).some(
    ({ content }) => content?.['text/event-stream'] !== undefined,
  );
  if (facts.streams !== streams)
    faults.push(`x-gateway.streams is ${facts.streams}, and its answers say otherwise (text/event-stream)`);
  if (facts.model === 'path' && !path.includes('{model}')) faults.push('x-gateway.model is path, which has no {model}');
  if (facts.metric?.includes('{')) faults.push('x-gateway.metric has a parameter: ids must not become labels');
  return faults;
}

function takesForm(operation) {
  return operation.requestBody?.content?.['multipart/form-data'] !== undefined;
}

function takesBytes(operation) {
  return operation.requestBody?.content?.['application/octet-stream'] !== undefined;
}

/** The document as it is published: without what only this gateway needs to know. */
export function withoutGatewayFacts(document) {
  const published = structuredClone(document);
  for (const item of Object.values(published.paths)) for (const method of METHODS) delete item[method]?.['x-gateway'];
  for (const schema of Object.values(published.components.schemas)) delete schema['x-gateway'];
  return published;
}

/** The source of libs/contracts/src/generated/operations.ts. */
export function operationsText(operations, version, { ModelKind: modelKind, AuditAction: auditAction }) {
  const rows = operations.map(
    ({ id, form, rawBody, socket, ...facts }) =>
      `${id}: ${JSON.stringify({ ...facts, ...(form && { form }), ...(rawBody && { rawBody }), ...(socket && { socket }) })},`,
  );
  const unionOf = (words) => words.map((each) => `'${each}'`).join(' | ');
  const union = (name) => unionOf(FIELDS[name]);
  const kinds = [...new Set(operations.flatMap(({ kind }) => kind ?? []))].sort();
  const jobs = [...new Set(operations.flatMap(({ job }) => job ?? []))].sort();
  return `
/** The version of the document, which everything that is published has. */
export const VERSION = '${version}';

/** The kinds of rows that a catalogue can have. */
export const MODEL_KINDS = ${JSON.stringify(modelKind.enum)} as const;

/** The changes that the audit log has. */
export const AUDIT_ACTIONS = ${JSON.stringify(auditAction.enum)} as const;

/** What OpenTelemetry's GenAI conventions call asking a model of this kind, where they have a name. */
export const OPERATION_NAMES: Readonly<Partial<Record<(typeof MODEL_KINDS)[number], string>>> = ${JSON.stringify(modelKind['x-gateway'].operation_names)};

/** What is known of an operation besides its bodies: the document's \`x-gateway\`. */
export interface OperationFacts {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** With its parameters in braces: \`/v1/videos/{video_id}\`. */
  readonly path: string;
  /** Who may call it. */
  readonly access: ${union('access')};
  /** Sessions of the role \`member\` may call it, too; without it those of owners and keys alone. */
  readonly member?: boolean;
  /** The form its errors are printed in: a chat dialect's, OpenAI's with the task envelope beside it, or JSON-RPC's. */
  readonly errors: ${union('errors')};
  /** It costs the caller money. */
  readonly paid: boolean;
  /** It counts against the limits of a key. */
  readonly limited: boolean;
  /** False: of what counts against limits, the log of requests has no row of it. */
  readonly logged?: boolean;
  /** It can answer with server-sent events. */
  readonly streams: boolean;
  /** The label in metrics. */
  readonly metric: string;
  /** What kind of model answers; chat completions serve speech models as well. */
  readonly kind?: ${unionOf(kinds)};
  readonly dialect?: ${union('dialect')};
  /** Where the model is named; optional: in the body, or nowhere. */
  readonly model?: ${union('model')};
  /** What a repetition under the same Idempotency-Key is bound to. */
  readonly idempotent?: ${union('idempotent')};
  /** Links of this sort open it without a key; its one path parameter is what they are made for. */
  readonly signedLink?: ${union('signedLink')};
  /** Its errors take their status from the column that lists 429 and 500 instead of 403 and 503. */
  readonly openAiStatuses?: boolean;
  /** With an admin port of its own it is served on both. */
  readonly everyPort?: boolean;
  /** With an admin port of its own it is served there. */
  readonly adminPort?: boolean;
  /** The kind of maintenance job that reads all of what this operation reads, however much it is. */
  readonly job?: ${unionOf(jobs)};
  /** Its body goes on as it comes, neither read nor checked, and the last parameter of its path is the rest of the path, as it was written. */
  readonly forwards?: boolean;
  /** It takes a multipart form. */
  readonly form?: boolean;
  /** Its body is bytes that its handler reads as they come. */
  readonly rawBody?: boolean;
  /** It opens a WebSocket. */
  readonly socket?: boolean;
}

/** Every operation of the document, in its order. */
export const OPERATIONS = {
${rows.join('\n')}
} as const satisfies Record<string, OperationFacts>;
`;
}

/** The source of libs/client/src/generated/routes.ts: as little as the client needs, for it travels to browsers. */
export function routesText(operations) {
  const rows = operations.map(({ id, method, path }) => `${id}: ['${method.toLowerCase()}', '${path}'],`);
  const roots = operations
    .filter(({ access }) => access === 'key' || access === 'admin' || access === 'any-key')
    .map(({ path }) => path.split('/')[1]);
  return `
/** Method and path of every operation of the document. */
export const ROUTES = {
${rows.join('\n')}
} as const;

/** First segments of the paths that take a key. */
export const KEYED_ROOTS: readonly string[] = ${JSON.stringify([...new Set(roots)])};
`;
}
