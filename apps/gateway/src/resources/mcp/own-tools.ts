/** The gateway's own tools as an MCP server. Each is a request to the app with the caller's own headers: its key, limits, money and log are those of any request. */
import type { IncomingMessage } from 'node:http';
import type { Request } from 'express';
import {
  GatewayError,
  isJsonObject,
  MODEL_KINDS,
  OPERATIONS,
  type Json,
  type JsonObject,
} from '@model-gateway/contracts';
import {
  MCP_CODES,
  OWN_SERVER,
  RpcFault,
  type Listed,
  type Listing,
  type Caller,
  type McpSource,
  type SourceRequest,
} from '@model-gateway/core';
import type { UntrustedFetcher } from '@model-gateway/provider-kit';
import type { AppWithin } from '../../http/app-within.ts';
import { IDENTITY_HEADERS } from '../../http/request-identity.ts';

/** Headers of the caller's that are said of what a tool asks for. */
const SAID_ON = [
  'authorization',
  'x-api-key',
  'x-goog-api-key',
  'api-key',
  'cookie',
  'x-csrf-token',
  'x-forwarded-for',
  'user-agent',
  'x-gateway-tags',
  ...IDENTITY_HEADERS,
];
const LARGEST_ANSWER = 24 * 1024 * 1024;
const LARGEST_RECORDING = 24 * 1024 * 1024;
const RECORDINGS = [
  'audio/mpeg',
  'audio/wav',
  'audio/flac',
  'audio/x-flac',
  'audio/ogg',
  'audio/ogg; codecs=opus',
  'audio/mp4',
  'audio/x-m4a',
  'audio/aac',
  'video/mp4',
  'video/webm',
  'audio/webm',
];
const LONGEST_WAIT_SECONDS = 50;

const text = (description: string): JsonObject => ({ type: 'string', description });
const MODEL = text('A model code; list_models has them.');

function tool(name: string, description: string, properties: JsonObject, required: string[]): JsonObject {
  const readOnlyHint = /^(?:list|estimate|get)_/.test(name);
  return { name, description, inputSchema: { type: 'object', properties, required }, annotations: { readOnlyHint } };
}

const LIST_MODELS = 'list_models';
const TOOLS: readonly JsonObject[] = [
  tool(
    LIST_MODELS,
    'Lists the models that this key may use.',
    {
      kind: text(`Only those of this kind: ${MODEL_KINDS.join(', ')}.`),
    },
    [],
  ),
  tool(
    'estimate_price',
    'Says what a request would cost, in US dollars. Nothing is asked of a model.',
    {
      endpoint: text('The path of the request, such as /v1/images/generations.'),
      body: { type: 'object', description: 'The body of the request.' },
    },
    ['endpoint', 'body'],
  ),
  tool(
    'generate_image',
    'Makes a picture and answers with its address, which expires. It costs money.',
    {
      model: MODEL,
      prompt: text('What the picture shows.'),
      size: text('Such as 1024x1024, where the model takes it.'),
    },
    ['model', 'prompt'],
  ),
  tool(
    'speak',
    'Speaks a text. It costs money.',
    { model: MODEL, input: text('What is spoken.'), voice: text('A voice of the model.') },
    ['model', 'input', 'voice'],
  ),
  tool(
    'transcribe',
    'Writes down what is said in a recording. It costs money.',
    { model: MODEL, url: text('The public address of the recording.'), language: text('Its language, such as en.') },
    ['model', 'url'],
  ),
  tool(
    'create_video',
    'Begins to make a video and answers with its id. It costs money when it succeeds.',
    {
      model: MODEL,
      prompt: text('What the video shows.'),
      seconds: text('Its length, such as 4.'),
      size: text('Such as 1280x720.'),
    },
    ['model', 'prompt'],
  ),
  tool(
    'get_video',
    'Says how far a video is, and where it can be had.',
    {
      id: text('The id that create_video gave.'),
      wait_seconds: { type: 'number', description: `Waits so long for its end, ${LONGEST_WAIT_SECONDS} at most.` },
    },
    ['id'],
  ),
];

/** What is asked of the app for a tool. */
interface Asked {
  readonly method: 'GET' | 'POST';
  readonly path: string;
  readonly body?: Uint8Array | JsonObject;
  readonly type?: string;
}

interface Answer {
  readonly status: number;
  readonly type: string;
  readonly bytes: Buffer;
}

export interface OwnToolsParts {
  readonly within: () => AppWithin;
  readonly untrustedFetcher: Pick<UntrustedFetcher, 'fetch'>;
}

export class OwnTools implements McpSource {
  readonly name = OWN_SERVER;
  readonly pricePerCall = 0;
  readonly #parts: OwnToolsParts;

  constructor(parts: OwnToolsParts) {
    this.#parts = parts;
  }

  list(kind: Listed): Promise<Listing> {
    return Promise.resolve({ items: kind === 'tools' ? TOOLS : [], leftOut: [] });
  }

  async request({ caller, method, params, origin }: SourceRequest): Promise<JsonObject> {
    if (method !== 'tools/call') throw new RpcFault(MCP_CODES.invalidParams, 'the gateway itself offers only tools');
    const { name } = params;
    const found = TOOLS.find((each) => each['name'] === name);
    if (found === undefined)
      throw new RpcFault(MCP_CODES.invalidParams, 'the gateway has no such tool; tools/list lists them');
    const args = isJsonObject(params['arguments']) ? params['arguments'] : {};
    const missing = missingIn(found, args);
    if (missing !== undefined) return refused(`${missing} is missing or of the wrong type`);
    try {
      const asked = await this.#askedBy(wordOf(name), args, caller);
      const kind = name === LIST_MODELS ? args['kind'] : undefined;
      return resultOf(await this.#ask(asked, origin as Request, caller.signal), kind);
    } catch (error) {
      if (error instanceof GatewayError && !caller.signal.aborted) return refused(error.message);
      throw error;
    }
  }

  async #askedBy(name: string, args: JsonObject, caller: Caller): Promise<Asked> {
    const post = (path: string, body: JsonObject): Asked => ({ method: 'POST', path, body });
    switch (name) {
      case LIST_MODELS:
        return { method: 'GET', path: OPERATIONS.listModels.path };
      case 'estimate_price':
        return post(OPERATIONS.createEstimate.path, pick(args, ['endpoint', 'body']));
      case 'generate_image':
        return post(OPERATIONS.createImage.path, pick(args, ['model', 'prompt', 'size']));
      case 'speak':
        return post(OPERATIONS.createSpeech.path, pick(args, ['model', 'input', 'voice']));
      case 'create_video':
        return post(OPERATIONS.createVideo.path, pick(args, ['model', 'prompt', 'seconds', 'size']));
      case 'get_video': {
        const wait = typeof args['wait_seconds'] === 'number' ? args['wait_seconds'] : 0;
        const path = OPERATIONS.getVideo.path.replace('{video_id}', encodeURIComponent(wordOf(args['id'])));
        return { method: 'GET', path: `${path}?wait=${Math.min(Math.max(0, wait), LONGEST_WAIT_SECONDS)}` };
      }
      default:
        return this.#transcription(args, caller);
    }
  }

  async #transcription(args: JsonObject, { key, signal }: Caller): Promise<Asked> {
    const limits = { param: 'url', maxBytes: LARGEST_RECORDING, types: RECORDINGS };
    const { bytes, mime } = await this.#parts.untrustedFetcher.fetch(
      wordOf(args['url']),
      limits,
      signal,
      `key ${key.id}`,
    );
    const form = new FormData();
    for (const [name, value] of Object.entries(pick(args, ['model', 'language']))) form.set(name, wordOf(value));
    form.set('file', new Blob([Buffer.from(bytes)], { type: mime }), 'recording');
    const encoded = new Response(form);
    const type = encoded.headers.get('content-type') ?? '';
    return {
      method: 'POST',
      path: OPERATIONS.createTranscription.path,
      body: Buffer.from(await encoded.arrayBuffer()),
      type,
    };
  }

  async #ask(
    { method, path, body, type = 'application/json' }: Asked,
    from: Request,
    signal: AbortSignal,
  ): Promise<Answer> {
    const headers: Record<string, string | string[]> = { connection: 'close' };
    for (const name of SAID_ON) {
      const value = from.headers[name];
      if (value !== undefined) headers[name] = value;
    }
    const bytes = body === undefined || body instanceof Uint8Array ? body : Buffer.from(JSON.stringify(body));
    if (bytes !== undefined) Object.assign(headers, { 'content-type': type, 'content-length': String(bytes.length) });
    const { remoteAddress, localPort } = from.socket;
    const peer = { remoteAddress, localPort } as Pick<Request['socket'], 'remoteAddress' | 'localPort'>;
    const request = { method, path, headers, signal, ...(bytes !== undefined && { body: bytes }) };
    return readAnswer(await this.#parts.within().ask(request, { peer }));
  }
}

async function readAnswer(answer: IncomingMessage): Promise<Answer> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of answer as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > LARGEST_ANSWER) {
      answer.destroy();
      throw new GatewayError('unavailable', `the answer is larger than ${LARGEST_ANSWER} bytes`);
    }
    chunks.push(chunk);
  }
  return {
    status: answer.statusCode ?? 500,
    type: answer.headers['content-type'] ?? '',
    bytes: Buffer.concat(chunks, size),
  };
}

/** What the app answered, for a model to read; of a list of models those of a kind. */
function resultOf({ status, type, bytes }: Answer, kind: Json | undefined): JsonObject {
  if (status < 300 && /^audio\//.test(type))
    return { content: [{ type: 'audio', data: bytes.toString('base64'), mimeType: type.split(';')[0] ?? type }] };
  let json: Json;
  try {
    json = JSON.parse(bytes.toString()) as Json;
  } catch {
    return status < 300
      ? { content: [{ type: 'text', text: bytes.toString() }] }
      : refused(`the gateway answered ${status}`);
  }
  if (status >= 300) {
    const fault = isJsonObject(json) && isJsonObject(json['error']) ? json['error']['message'] : undefined;
    return refused(typeof fault === 'string' ? fault : `the gateway answered ${status}`);
  }
  const shown = isJsonObject(json) ? ofKind(json, kind) : json;
  return {
    content: [{ type: 'text', text: JSON.stringify(shown) }],
    ...(isJsonObject(shown) && { structuredContent: shown }),
  };
}

/** A list of models without those of other kinds. */
function ofKind(json: JsonObject, kind: Json | undefined): JsonObject {
  const { data } = json;
  if (typeof kind !== 'string' || !Array.isArray(data)) return json;
  return { ...json, data: data.filter((each) => isJsonObject(each) && each['kind'] === kind) };
}

/** A tool that fails tells the model why. */
function refused(message: string): JsonObject {
  return { content: [{ type: 'text', text: message }], isError: true };
}

function missingIn({ inputSchema }: JsonObject, args: JsonObject): string | undefined {
  if (!isJsonObject(inputSchema) || !isJsonObject(inputSchema['properties'])) return undefined;
  const { required } = inputSchema;
  return Object.entries(inputSchema['properties']).find(([name, property]) => {
    const value = args[name];
    if (value === undefined) return Array.isArray(required) && required.includes(name);
    const type = isJsonObject(property) ? property['type'] : undefined;
    return type === 'object' ? !isJsonObject(value) : typeof value !== type;
  })?.[0];
}

/** Arguments of a tool have the type that its schema says. */
function wordOf(value: Json | undefined): string {
  return typeof value === 'string' ? value : '';
}

function pick(args: JsonObject, names: readonly string[]): JsonObject {
  return Object.fromEntries(names.flatMap((name) => (args[name] === undefined ? [] : [[name, args[name]]])));
}
