/** Chat on Vertex AI, each model in its maker's wire: Gemini, Claude, and the door in OpenAI's form for others (docs/wire/vertex.md). */
import {
  GatewayError,
  isJsonObject,
  setTopLevel,
  withoutTopLevel,
  type DialectName,
  type Json,
} from '@model-gateway/contracts';
import { parseVendorJson, type ChatAdapter, type ChatCall, type UpstreamRequest } from '@model-gateway/provider-kit';
import { vertexModel, vertexRoot } from './addresses.ts';

/** In place of the header `anthropic-version`. */
const CLAUDE_VERSION = 'vertex-2023-10-16';
/** What a count takes of a request that the Gemini API would take whole. */
const COUNTED = [
  'contents',
  'systemInstruction',
  'system_instruction',
  'tools',
  'generationConfig',
  'generation_config',
];

const WIRES: Readonly<Partial<Record<DialectName, (call: ChatCall) => UpstreamRequest>>> = {
  'gemini-generate': asGemini,
  'anthropic-messages': asClaude,
  'openai-chat': asOpenAi,
};

export const chat: ChatAdapter = {
  dialects: ['gemini-generate', 'anthropic-messages', 'openai-chat'],
  request(call) {
    const request = WIRES[call.dialect];
    if (request === undefined) throw new GatewayError('internal', `this vendor does not speak ${call.dialect}`);
    return request(call);
  },
};

function asGemini(call: ChatCall): UpstreamRequest {
  if (call.purpose === 'count') {
    return post(call, vertexModel('google', call.model, 'countTokens', call.settings), countBody(call.body));
  }
  const method = call.stream ? 'streamGenerateContent?alt=sse' : 'generateContent';
  return post(call, vertexModel('google', call.model, method, call.settings), call.body);
}

/** The Gemini API takes the whole request in `generateContentRequest`; here its parts stand alone. */
function countBody(body: Uint8Array): Uint8Array {
  const json = parseVendorJson(Buffer.from(body).toString('utf8'));
  if (!isJsonObject(json)) return body;
  const inner = json['generateContentRequest'] ?? json['generate_content_request'];
  if (!isJsonObject(inner)) return body;
  const counted = Object.entries(inner).filter(([name]) => COUNTED.includes(name));
  return Buffer.from(JSON.stringify(Object.fromEntries(counted) as Json));
}

/** The model is in the address, the version in the body; a count has a model of its own, and the counted one in the body. */
function asClaude(call: ChatCall): UpstreamRequest {
  const { 'anthropic-version': _version, ...headers } = call.headers;
  const isCount = call.purpose === 'count';
  const body = Buffer.from(call.body.buffer, call.body.byteOffset, call.body.byteLength);
  const bare = isCount ? body : withoutTopLevel(body, new Set(['model']));
  const method = call.stream ? 'streamRawPredict' : 'rawPredict';
  const path = vertexModel('anthropic', isCount ? 'count-tokens' : call.model, method, call.settings);
  const versioned = setTopLevel(bare, new Map([['anthropic_version', JSON.stringify(CLAUDE_VERSION)]]));
  return post({ ...call, headers }, path, versioned);
}

function asOpenAi(call: ChatCall): UpstreamRequest {
  if (call.purpose === 'count')
    throw new GatewayError('not_implemented', 'this model’s vendor has no way to count tokens');
  return post(call, `${vertexRoot(call.settings)}/endpoints/openapi/chat/completions`, call.body);
}

function post({ headers }: ChatCall, path: string, body: Uint8Array): UpstreamRequest {
  return { method: 'POST', path, headers: { ...headers, 'content-type': 'application/json' }, body };
}
