/** Which operation of the document an address stands for. The only place where paths are told apart. */
import { GatewayError, OPERATIONS, type OperationFacts } from '@model-gateway/contracts';

export type OperationId = keyof typeof OPERATIONS;

/** A row of the table of operations. */
export interface Operation extends OperationFacts {
  readonly id: OperationId;
  /** Names of the path parameters, in their order. */
  readonly parameters: readonly string[];
}

/** What is known by the address alone, of unknown addresses too: who may learn that they are unknown, and in which words. */
export type Place = Pick<OperationFacts, 'access' | 'errors' | 'openAiStatuses' | 'metric' | 'everyPort' | 'adminPort'>;

export interface Match {
  readonly place: Place;
  /** Absent when there is none for this path and method: `refusal` says why. */
  readonly operation?: Operation;
  /** Values of the path parameters, decoded. */
  readonly parameters: Readonly<Record<string, string>>;
  readonly refusal?: GatewayError;
  /** The path as the document has it, where a name in it came with slashes: they are encoded. */
  readonly path?: string;
}

/** Every operation of the document, in its order. */
export const operations: readonly Operation[] = (Object.entries(OPERATIONS) as [OperationId, OperationFacts][]).map(
  ([id, facts]) => ({ ...facts, id, parameters: [...facts.path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name) }),
);

/** The operations of one path, by method. */
type Methods = ReadonlyMap<string, Match & { readonly operation: Operation }>;

interface Node {
  readonly children: Map<string, Node>;
  /** `{task_id}` */
  parameter: Node | undefined;
  /** The rest of a path that is forwarded, whatever it is. */
  rest: Node | undefined;
  /** `{model}:generateContent`: what follows the parameter in its segment, and where that leads. */
  readonly suffixes: Map<string, Node>;
  readonly methods: Map<string, Match & { readonly operation: Operation }>;
  /** What a path that leads here and no further is treated as. */
  place: Place;
}

/** Labels must not grow with what strangers ask for. */
const UNMATCHED = 'unmatched';
const NO_PARAMETERS: Readonly<Record<string, string>> = Object.freeze({});
const OUTSIDE: Place = { access: 'public', errors: 'openai-chat', metric: UNMATCHED };

const root = newNode(OUTSIDE);
/** Paths without parameters, which are most of the traffic: looked up whole. */
const fixed = new Map<string, Methods>();
for (const operation of operations) insert(operation);

/** Finds the operation of a path; with a slash at its end it is none. Never throws: the refusal is for after authentication. */
export function matchOperation(method: string, path: string): Match {
  const methods = fixed.get(path);
  if (methods !== undefined) return methods.get(method) ?? methodNotAllowed(methods, method, path);
  const segments = path.split('/');
  const found = find(root, segments, 1, []);
  if (found === undefined || found.node.methods.size === 0) return notFound(method, path, segments);
  const match = found.node.methods.get(method);
  const verbs = match === undefined ? verbsBeside(segments) : undefined;
  if (verbs !== undefined) return noSuchVerb(path, segments, verbs);
  if (match === undefined) return methodNotAllowed(found.node.methods, method, path, placeFor(segments));
  return {
    ...match,
    ...decoded(match.operation, found.values),
    ...(found.path !== undefined && { path: found.path }),
  };
}

function insert(operation: Operation): void {
  const match = { place: operation, operation, parameters: NO_PARAMETERS };
  let node = root;
  const segments = operation.path.split('/').slice(1);
  const rest = operation.forwards === true ? segments.pop() : undefined;
  for (const segment of segments) node = step(node, segment, unmatchedBeside(operation));
  if (rest !== undefined) node = node.rest ??= newNode(unmatchedBeside(operation));
  if (node.methods.size === 0) node.place = unmatchedBeside(operation);
  node.methods.set(operation.method, match);
  if (operation.parameters.length === 0) fixed.set(operation.path, node.methods);
}

function step(node: Node, segment: string, place: Place): Node {
  const [, suffix] = /^\{\w+\}(.*)$/.exec(segment) ?? [];
  if (suffix === '') return (node.parameter ??= newNode(place));
  const [among, name] = suffix === undefined ? [node.children, segment] : [node.suffixes, suffix];
  const known = among.get(name);
  if (known !== undefined) return known;
  const made = newNode(place);
  among.set(name, made);
  return made;
}

function newNode(place: Place): Node {
  return { children: new Map(), parameter: undefined, rest: undefined, suffixes: new Map(), methods: new Map(), place };
}

/** An unknown path near an operation asks for the same key and prints errors alike; links open known paths only. */
function unmatchedBeside({ access, errors, everyPort }: Operation): Place {
  return {
    access: access === 'signed-link' ? 'public' : access,
    errors,
    metric: UNMATCHED,
    ...(everyPort !== undefined && { everyPort }),
  };
}

interface Found {
  readonly node: Node;
  readonly values: readonly string[];
  readonly path?: string;
}

function find(node: Node, segments: readonly string[], at: number, values: readonly string[]): Found | undefined {
  const segment = segments[at];
  if (segment === undefined) return { node, values };
  if (node.rest !== undefined) return { node: node.rest, values: [...values, segments.slice(at).join('/')] };
  const child = node.children.get(segment);
  const direct = child === undefined ? undefined : find(child, segments, at + 1, values);
  if (direct !== undefined) return direct;
  if (segment === '') return undefined;
  for (const [suffix, next] of node.suffixes) {
    if (segment.length > suffix.length && segment.endsWith(suffix))
      return find(next, segments, at + 1, [...values, segment.slice(0, -suffix.length)]);
  }
  const found = node.parameter === undefined ? undefined : find(node.parameter, segments, at + 1, [...values, segment]);
  return found ?? findWithSlashes(node, segments, at, values);
}

/** `models/openai/gpt-5:generateContent`: names of models may have slashes, and Google's clients write them as they are. */
function findWithSlashes(
  { suffixes }: Node,
  segments: readonly string[],
  at: number,
  values: readonly string[],
): Found | undefined {
  const parts = segments.slice(at);
  if (suffixes.size === 0 || parts.length < 2 || parts.some((part) => /^\.{0,2}$/.test(part))) return undefined;
  const rest = parts.join('%2F');
  for (const [suffix, node] of suffixes) {
    if (!rest.endsWith(suffix)) continue;
    const path = [...segments.slice(0, at), rest].join('/');
    return { node, values: [...values, rest.slice(0, -suffix.length)], path };
  }
  return undefined;
}

/** `/v1beta/models/veo-3:predictLongRunning`: what can stand behind the colon of a path that ends in one. */
function verbsBeside(segments: readonly string[]): readonly string[] | undefined {
  if (segments.at(-1)?.includes(':') !== true) return undefined;
  const above = find(root, segments.slice(0, -1), 1, []);
  return above === undefined || above.node.suffixes.size === 0 ? undefined : [...above.node.suffixes.keys()];
}

/** The place of the longest known beginning of a path. */
function placeFor(segments: readonly string[]): Place {
  let node = root;
  for (const segment of segments.slice(1)) {
    const [suffixed] = segment.includes(':') ? node.suffixes.values() : [];
    const next = node.children.get(segment) ?? suffixed ?? node.parameter;
    if (next === undefined) break;
    node = next;
  }
  return node.place;
}

/** What is forwarded stays as it was written: it is for another server to read. */
function decoded(
  { parameters, forwards }: Operation,
  values: readonly string[],
): Pick<Match, 'parameters' | 'refusal'> {
  const taken: Record<string, string> = {};
  for (const [index, name] of parameters.entries()) {
    const value = values[index] ?? '';
    try {
      taken[name] = forwards === true && index === parameters.length - 1 ? value : decodeURIComponent(value);
    } catch {
      const refusal = new GatewayError('invalid_request', `${name} in the path is not percent-encoded UTF-8`, {
        param: name,
      });
      return { parameters: NO_PARAMETERS, refusal };
    }
  }
  return { parameters: taken };
}

function notFound(method: string, path: string, segments: readonly string[]): Match {
  const refusal = new GatewayError(
    'not_found',
    `there is no ${method} ${path.slice(0, 200)}${meantPath(method, path)}; ${OPERATIONS.getOpenapi.path} lists all paths`,
  );
  return { place: placeFor(segments), parameters: NO_PARAMETERS, refusal };
}

/** What stands before the paths of callers. Base addresses of SDKs end with it or without it, so it comes to be left out or written twice. */
const VERSIONS: readonly string[] = [
  ...new Set(operations.flatMap(({ path }) => /^\/v\d\w*(?=\/)/.exec(path) ?? [])),
].sort();

/** ` (did you mean POST /v1/chat/completions?)` where the path becomes one that there is when its beginning is put right, else ''. */
function meantPath(method: string, path: string): string {
  const candidates = VERSIONS.flatMap((version) => {
    const again = path.indexOf(`${version}/`, 1);
    return again === -1 ? [version + path] : [path.slice(again), version + path];
  });
  const meant = candidates.find(
    (candidate) => find(root, candidate.split('/'), 1, [])?.node.methods.has(method) === true,
  );
  return meant === undefined ? '' : ` (did you mean ${method} ${meant.slice(0, 200)}?)`;
}

function noSuchVerb(path: string, segments: readonly string[], verbs: readonly string[]): Match {
  const refusal = new GatewayError(
    'not_found',
    `there is no ${path.slice(0, 200)}; after a model, the path ends with ${verbs.join(', ')}`,
  );
  return { place: placeFor(segments), parameters: NO_PARAMETERS, refusal };
}

function methodNotAllowed(methods: Methods, method: string, path: string, place?: Place): Match {
  const allow = [...methods.keys()];
  const refusal = new GatewayError(
    'method_not_allowed',
    `${path.slice(0, 200)} does not take ${method}; it takes ${allow.join(', ')}`,
    { allow },
  );
  const [{ place: known } = { place: OUTSIDE }] = methods.values();
  return { place: place ?? known, parameters: NO_PARAMETERS, refusal };
}
