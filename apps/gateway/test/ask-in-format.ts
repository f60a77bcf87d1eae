/** One question in each of the four chat formats, over a real socket. */
import type { JsonObject } from '@model-gateway/contracts';
import type { TestGateway } from '@model-gateway/testing';

export type Format = 'chat' | 'responses' | 'messages' | 'gemini';
export const FORMATS: readonly Format[] = ['chat', 'responses', 'messages', 'gemini'];

export interface Question {
  readonly format: Format;
  readonly model: string;
  readonly text?: string;
  readonly stream?: boolean;
  /** The gateway's live key when absent. */
  readonly key?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Of an answer; the most that the format's own example has when absent. */
  readonly mostTokens?: number;
  /** More members of the body. */
  readonly extra?: JsonObject;
}

export interface FormatReply {
  readonly status: number;
  readonly route: string | null;
  readonly attempts: string | null;
  readonly retryAfter: string | null;
  readonly account: string | null;
  readonly text: string;
}

/** Asks and reads the whole answer. */
export function askInFormat(gateway: TestGateway, { format, extra = {}, ...question }: Question): Promise<FormatReply> {
  const [path, body] = requestIn[format](question);
  return postTo(gateway, path, { ...body, ...extra }, question);
}

/** Sends a body as it is. */
export async function postTo(
  gateway: TestGateway,
  path: string,
  body: JsonObject,
  { key = gateway.liveKey, headers = {} }: Pick<Question, 'key' | 'headers'> = {},
): Promise<FormatReply> {
  const reply = await fetch(`${gateway.url}${path}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  });
  return {
    status: reply.status,
    route: reply.headers.get('x-gateway-route'),
    attempts: reply.headers.get('x-gateway-attempts'),
    retryAfter: reply.headers.get('retry-after'),
    account: reply.headers.get('x-gateway-account'),
    text: await reply.text(),
  };
}

type Said = Pick<Question, 'model' | 'text' | 'stream' | 'mostTokens'>;

const requestIn: Readonly<Record<Format, (said: Said) => readonly [string, JsonObject]>> = {
  chat: ({ model, text = 'hi', stream = false, mostTokens }) => [
    '/v1/chat/completions',
    {
      model,
      messages: [{ role: 'user', content: text }],
      stream,
      ...(mostTokens !== undefined && { max_completion_tokens: mostTokens }),
    },
  ],
  responses: ({ model, text = 'hi', stream = false, mostTokens }) => [
    '/v1/responses',
    { model, input: text, stream, ...(mostTokens !== undefined && { max_output_tokens: mostTokens }) },
  ],
  messages: ({ model, text = 'hi', stream = false, mostTokens = 100 }) => [
    '/v1/messages',
    { model, messages: [{ role: 'user', content: text }], stream, max_tokens: mostTokens },
  ],
  gemini: ({ model, text = 'hi', stream = false, mostTokens }) => [
    `/v1beta/models/${model}:${stream ? 'streamGenerateContent?alt=sse' : 'generateContent'}`,
    {
      contents: [{ role: 'user', parts: [{ text }] }],
      ...(mostTokens !== undefined && { generationConfig: { maxOutputTokens: mostTokens } }),
    },
  ],
};

/** Entries of the ledger that are of a model, newest first: leases have entries of their own. */
export async function chargesOf(gateway: TestGateway): Promise<readonly JsonObject[]> {
  const reply = await fetch(`${gateway.server.adminUrl}/admin/ledger?limit=50`, {
    headers: { authorization: `Bearer ${gateway.adminKey}` },
  });
  const { data } = (await reply.json()) as { data: JsonObject[] };
  return data.filter(({ model }) => model !== null);
}
