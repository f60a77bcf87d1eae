/** The Model Context Protocol on the wire (docs/wire/mcp.md): revisions, the members of messages, faults and headers. */
import { GatewayError, isJsonObject, type ErrorCode, type Json, type JsonObject } from '@model-gateway/contracts';

/** The revision that has no sessions: each request says everything. */
export const MODERN = '2026-07-28';
/** Revisions that begin with `initialize`, the newest first. */
export const LEGACY = ['2025-11-25', '2025-06-18', '2025-03-26'] as const;
export const REVISIONS: readonly string[] = [MODERN, ...LEGACY];

export const META = {
  version: 'io.modelcontextprotocol/protocolVersion',
  client: 'io.modelcontextprotocol/clientInfo',
  capabilities: 'io.modelcontextprotocol/clientCapabilities',
  server: 'io.modelcontextprotocol/serverInfo',
  /** Ours: servers that could not be listed, and what of them is left out. */
  faults: 'model-gateway/faults',
} as const;

export const RPC_CODES = {
  parse: -32700,
  invalidRequest: -32600,
  methodNotFound: -32601,
  invalidParams: -32602,
  internal: -32603,
  /** Of the range that implementations give out themselves. */
  refused: -32000,
  headerMismatch: -32020,
  unsupportedVersion: -32022,
} as const;

/** Methods whose requests name what they are for, and by which member. */
export const NAMED_BY: Readonly<Record<string, 'name' | 'uri'>> = {
  'tools/call': 'name',
  'prompts/get': 'name',
  'resources/read': 'uri',
};

/** What a server refused with, in the protocol’s own words. */
export class RpcFault extends Error {
  readonly code: number;
  readonly data: Json | undefined;

  constructor(code: number, message: string, data?: Json) {
    super(message);
    this.name = 'RpcFault';
    this.code = code;
    this.data = data;
  }
}

const LONGEST_MESSAGE = 2000;

/** The fault of an answer; undefined when it is none. */
export function faultIn(message: JsonObject): RpcFault | undefined {
  const { error } = message;
  if (!isJsonObject(error)) return undefined;
  const { code, message: words, data } = error;
  return new RpcFault(
    typeof code === 'number' && Number.isSafeInteger(code) ? code : RPC_CODES.internal,
    cleanText(typeof words === 'string' ? words : 'the server refused', LONGEST_MESSAGE),
    data,
  );
}

/** The code of the table for whatever ended a call: what the log of requests and the metrics have. */
export function codeOfFault(error: unknown): ErrorCode {
  if (error instanceof GatewayError) return error.code;
  if (!(error instanceof RpcFault)) return 'internal';
  switch (error.code) {
    case RPC_CODES.methodNotFound:
      return 'not_found';
    case RPC_CODES.parse:
    case RPC_CODES.invalidRequest:
    case RPC_CODES.invalidParams:
    case RPC_CODES.headerMismatch:
    case RPC_CODES.unsupportedVersion:
      return 'invalid_request';
    default:
      return 'upstream_unavailable';
  }
}

/** A fault of ours, or a server’s, as a message. */
export function faultMessage(id: Json, fault: RpcFault): JsonObject {
  const { code, message, data } = fault;
  return { jsonrpc: '2.0', id, error: { code, message, ...(data !== undefined && { data }) } };
}

/** What went wrong on our side, in the protocol’s words. */
export function asFault(error: GatewayError, requestId: string): RpcFault {
  const code =
    error.code === 'invalid_request'
      ? RPC_CODES.invalidParams
      : error.code === 'internal' || error.code.startsWith('upstream_')
        ? RPC_CODES.internal
        : RPC_CODES.refused;
  const { retryAfterSeconds } = error.details;
  return new RpcFault(code, error.message, {
    code: error.code,
    request_id: requestId,
    ...(retryAfterSeconds !== undefined && { retry_after: retryAfterSeconds }),
  });
}

/** Control characters, and characters that show nothing or turn what stands beside them: instructions hide in them. */
const UNSEEN =
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u00ad\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff]|[\u{e0000}-\u{e0fff}]/gu;

/** A text of a server’s that people or models read, cut to a length. */
export function cleanText(text: string, longest: number): string {
  const cut = text.length > longest ? `${text.slice(0, longest)}…` : text;
  return cut.replace(UNSEEN, '').toWellFormed();
}

/** Control characters, and letters of tags but in flags of regions. Joiners and marks of direction belong to the words of many languages. */
const UNSEEN_IN_RESULTS =
  /(?<flag>\u{1f3f4}[\u{e0030}-\u{e0039}\u{e0061}-\u{e007a}]{3,6}\u{e007f})|[\u0000-\u0008\u000b-\u001f\u007f-\u009f]|[\u{e0000}-\u{e0fff}]/gu;

/** A result’s text as a model reads it. */
export function cleanResult(text: string): string {
  return text.replace(UNSEEN_IN_RESULTS, '$<flag>').toWellFormed();
}

const PLAIN = /^[\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?$/;

/** A value as a header of the protocol has it. */
export function headerText(value: string): string {
  const isPlain = PLAIN.test(value) && !(value.startsWith('=?base64?') && value.endsWith('?='));
  return isPlain ? value : `=?base64?${Buffer.from(value).toString('base64')}?=`;
}

/** What a header of the protocol says. */
export function headerValue(text: string): string {
  const [, encoded] = /^=\?base64\?([A-Za-z0-9+/]*={0,2})\?=$/.exec(text) ?? [];
  return encoded === undefined ? text : Buffer.from(encoded, 'base64').toString();
}

const PARAMETER = /^[A-Za-z0-9!#$%&'*+.^_`|~-]{1,100}$/;

/** Headers that a tool wants some of its arguments in, too (`x-mcp-header`). Undefined where its schema asks for what may not be. */
export function parameterHeaders(schema: Json | undefined, args: Json | undefined): Record<string, string> | undefined {
  const headers: Record<string, string> = {};
  const visit = (at: Json | undefined, value: Json | undefined, depth: number): boolean => {
    if (!isJsonObject(at) || depth > 8) return true;
    const properties = isJsonObject(at['properties']) ? at['properties'] : {};
    return Object.entries(properties).every(([name, property]) => {
      if (!isJsonObject(property)) return true;
      const own = isJsonObject(value) && Object.hasOwn(value, name) ? value[name] : undefined;
      const called = property['x-mcp-header'];
      if (called !== undefined) {
        if (typeof called !== 'string' || !PARAMETER.test(called)) return false;
        const header = `mcp-param-${called.toLowerCase()}`;
        if (Object.hasOwn(headers, header)) return false;
        if (own !== undefined && own !== null && typeof own !== 'object') headers[header] = headerText(String(own));
      }
      return visit(property, own, depth + 1);
    });
  };
  return visit(schema, args, 0) ? headers : undefined;
}

/** Reads a body to its end, or no further than so many bytes: undefined then. */
export async function readWithin(
  body: AsyncIterable<Uint8Array> & { destroy(): void },
  most: number,
): Promise<string | undefined> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of body) {
    size += chunk.length;
    if (size > most) {
      body.destroy();
      return undefined;
    }
    chunks.push(chunk);
  }
  return Buffer.concat(chunks, size).toString();
}
