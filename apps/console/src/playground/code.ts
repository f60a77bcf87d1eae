/** A request as curl and as programs of the SDKs that the gateway speaks with. Pure. */

type Json = Record<string, unknown>;
export interface CodeRequest {
  readonly path: string;
  /** As it would be sent; of a form its fields. */
  readonly body: Json;
}

/** What a kind of request is called in programs. */
export interface SdkCalls {
  /** The SDK that speaks OpenAI's wire; absent: it has no such call. */
  readonly openai?: {
    readonly method: string;
    /** What a program does with `reply`. */
    readonly python: string;
    readonly typescript: string;
    /** The same where the body says `stream`. */
    readonly streamed?: string;
    /** The only arguments that it has names for; the rest is its extra body. */
    readonly names?: ReadonlySet<string>;
  };
  /** A whole program's lines with our client. */
  readonly client: (given: string) => string;
  /** Anthropic's and Google's SDKs can send it too. */
  readonly isChat?: boolean;
  /** It is sent as a form, because it carries a file. */
  readonly isForm?: boolean;
}

/** The ways there are for it. */
export const waysOf = ({ openai, isChat = false }: SdkCalls): readonly string[] => [
  'curl',
  ...(openai === undefined ? [] : ['openai Python', 'openai TypeScript']),
  ...(isChat ? ['Anthropic', 'Google'] : []),
  'Our client',
];

/** The program. Long `data:` URLs are cut to `…`. */
export function codeOf(way: string, { path, ...request }: CodeRequest, calls: SdkCalls, origin: string): string {
  const body = shortened(request.body) as Json;
  switch (way) {
    case 'openai Python':
      return openAiPython(calls.openai, body, origin);
    case 'openai TypeScript':
      return openAiTypeScript(calls, body, origin);
    case 'Anthropic':
      return anthropic(body, origin);
    case 'Google':
      return google(body, origin);
    case 'Our client':
      return ourClient(calls, body, origin);
    default:
      return calls.isForm === true ? curlForm(path, body, origin) : curl(path, body, origin);
  }
}

const pretty = (value: unknown): string => JSON.stringify(value, undefined, 2);

function curl(path: string, body: Json, origin: string): string {
  const quoted = pretty(body).replaceAll("'", `'\\''`);
  return `curl "${origin}${path}" \\
  -H "authorization: Bearer $MODEL_GATEWAY_API_KEY" \\
  -H 'content-type: application/json' \\
  -d '${quoted}'`;
}

function curlForm(path: string, body: Json, origin: string): string {
  const fields = Object.entries(body).map(
    ([name, value]) => `  -F '${name}=${String(value).replaceAll("'", `'\\''`)}'`,
  );
  return `curl "${origin}${path}" \\
  -H "authorization: Bearer $MODEL_GATEWAY_API_KEY" \\
${fields.join(' \\\n')}`;
}

function openAiPython(openai: SdkCalls['openai'], body: Json, origin: string): string {
  const { stream: _stream, stream_options: _options, ...rest } = body;
  const { names } = openai ?? {};
  const named = Object.entries(rest).filter(([name]) => names?.has(name) !== false);
  const others = Object.entries(rest).filter(([name]) => names?.has(name) === false);
  const values = named.map(([name, value]) => `    ${name}=${isFile(value) ? openPython(value) : python(value)},`);
  if (names?.has('prompt') === true && !named.some(([name]) => name === 'prompt')) values.push('    prompt="",');
  if (others.length > 0) values.push(`    extra_body=${python(Object.fromEntries(others))},`);
  return `import os
from openai import OpenAI

client = OpenAI(base_url="${origin}/v1", api_key=os.environ["MODEL_GATEWAY_API_KEY"])
reply = client.${openai?.method ?? ''}(
${values.join('\n')}
)
${openai?.python ?? ''}`;
}

function openAiTypeScript({ openai, isForm = false }: SdkCalls, body: Json, origin: string): string {
  const { stream_options: _options, ...rest } = body;
  const after = rest['stream'] === true ? (openai?.streamed ?? openai?.typescript) : openai?.typescript;
  const files = isForm ? "import { createReadStream } from 'node:fs';\n" : '';
  return `${files}import OpenAI from 'openai';

const client = new OpenAI({ baseURL: '${origin}/v1', apiKey: process.env.MODEL_GATEWAY_API_KEY });
const reply = await client.${openai?.method ?? ''}(${withFiles(rest, (path) => `createReadStream('${path}')`)});
${after ?? ''}`;
}

/** `@picture.png`: a file, as curl names it. */
const isFile = (value: unknown): value is string => typeof value === 'string' && value.startsWith('@');
const openPython = (value: string): string => `open(${JSON.stringify(value.slice(1))}, "rb")`;

/** The fields as JSON, with the files among them opened. */
function withFiles(body: Json, open: (path: string) => string): string {
  return Object.entries(body)
    .filter(([, value]) => isFile(value))
    .reduce(
      (text, [, value]) => text.replace(JSON.stringify(value), () => open(String(value).slice(1).replaceAll("'", ''))),
      pretty(body),
    );
}

function anthropic(body: Json, origin: string): string {
  const messages = messagesOf(body);
  const system = messages.find(({ role }) => role === 'system')?.text;
  const value = {
    model: body['model'],
    max_tokens: body['max_completion_tokens'] ?? 1024,
    ...(system !== undefined && { system }),
    messages: messages.filter(({ role }) => role !== 'system').map(({ role, text }) => ({ role, content: text })),
  };
  return `import Anthropic from '@anthropic-ai/sdk';

const client = new Anthropic({ baseURL: '${origin}', apiKey: process.env.MODEL_GATEWAY_API_KEY });
const reply = await client.messages.create(${pretty(value)});
console.log(reply.content);`;
}

function google(body: Json, origin: string): string {
  const messages = messagesOf(body);
  const system = messages.find(({ role }) => role === 'system')?.text;
  const value = {
    model: body['model'],
    contents: messages
      .filter(({ role }) => role !== 'system')
      .map(({ role, text }) => ({ role: role === 'assistant' ? 'model' : 'user', parts: [{ text }] })),
    ...(system !== undefined && { config: { systemInstruction: system } }),
  };
  return `import { GoogleGenAI } from '@google/genai';

const client = new GoogleGenAI({ apiKey: process.env.MODEL_GATEWAY_API_KEY, httpOptions: { baseUrl: '${origin}' } });
const reply = await client.models.generateContent(${pretty(value)});
console.log(reply.text);`;
}

function ourClient({ client }: SdkCalls, body: Json, origin: string): string {
  const { stream: _stream, stream_options: _options, ...rest } = body;
  const given = withFiles(rest, (path) => `{ path: '${path}' }`);
  return `import { createClient } from '@model-gateway/client';

const client = createClient({ baseUrl: '${origin}', apiKey: process.env.MODEL_GATEWAY_API_KEY });
${client(given)}`;
}

/** Roles and texts of chat completions' messages. */
function messagesOf(body: Json): readonly { role: string; text: string }[] {
  const messages = Array.isArray(body['messages']) ? (body['messages'] as Json[]) : [];
  return messages.map(({ role, content }) => ({
    role: String(role),
    text:
      typeof content === 'string'
        ? content
        : Array.isArray(content)
          ? (content as Json[]).map(({ text }) => (typeof text === 'string' ? text : '…')).join('\n')
          : '',
  }));
}

/** A value as Python writes it. */
function python(value: unknown): string {
  if (value === true) return 'True';
  if (value === false) return 'False';
  if (value === null || value === undefined) return 'None';
  if (Array.isArray(value)) return `[${value.map(python).join(', ')}]`;
  if (typeof value === 'object')
    return `{${Object.entries(value)
      .map(([name, each]) => `${JSON.stringify(name)}: ${python(each)}`)
      .join(', ')}}`;
  return JSON.stringify(value);
}

function shortened(value: unknown): unknown {
  if (typeof value === 'string')
    return value.startsWith('data:') && value.length > 80 ? `${value.slice(0, 40)}…` : value;
  if (Array.isArray(value)) return value.map(shortened);
  if (typeof value === 'object' && value !== null)
    return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, shortened(each)]));
  return value;
}
