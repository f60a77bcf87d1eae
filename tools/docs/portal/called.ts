/** What one sample calls with, and what all languages need to say it. */
import type { Operation } from './document.ts';
import { jsLiteral } from './literal.ts';

export const BASE_URL = 'http://127.0.0.1:8080';
export const TEST_KEY = 'sk-test-…';
export const ADMIN_KEY = 'admin-…';

/** What one sample calls with; places of other answers are filled with the document's examples. */
export interface Called {
  readonly operation: Operation;
  readonly path: Readonly<Record<string, string>>;
  readonly query: Readonly<Record<string, string>>;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Readonly<Record<string, unknown>> | undefined;
  readonly form: boolean;
}

/** A file of a form, in the document's examples. */
export function isFile(value: unknown): boolean {
  return typeof value === 'string' && value.startsWith('data:');
}

/** What the samples call it. */
export function fileName(field: string): string {
  if (field === 'file') return 'talk.wav';
  return field === 'mask' ? 'mask.png' : 'picture.png';
}

/** Query parameters as an argument; empty when there are none. */
export function queryLiteral(query: Readonly<Record<string, string>>): string {
  const typed = Object.fromEntries(
    Object.entries(query).map(([name, value]) => [name, /^\d+$/.test(value) ? Number(value) : value]),
  );
  return Object.keys(typed).length === 0 ? '' : jsLiteral(typed);
}

/** The path and query that it asks for. */
export function addressOf({ operation, path, query }: Called): string {
  const address = operation.path.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(path[name] ?? name));
  const search = new URLSearchParams(query).toString();
  return search === '' ? address : `${address}?${search}`;
}

/** Whether events are answered. */
export function streams({ body, headers, query }: Called): boolean {
  return (
    body?.['stream'] === true ||
    body?.['stream'] === 'true' ||
    headers['accept'] === 'text/event-stream' ||
    query['alt'] === 'sse' ||
    query['stream'] === 'true'
  );
}

/** The key it takes; none where none is needed. */
export function keyOf({ object, tag, path }: Operation): string | undefined {
  if (tag === 'admin') return ADMIN_KEY;
  return object.security?.length === 0 || path.startsWith('/files') ? undefined : TEST_KEY;
}

/** The file that a binary answer is saved to. */
export function savedTo({ object }: Operation): string | undefined {
  const types = Object.keys(object.responses['200']?.content ?? {});
  if (types.includes('image/png')) return 'file.png';
  if (types.some((type) => type.startsWith('video/'))) return 'video.mp4';
  if (types.some((type) => type.startsWith('audio/'))) return 'speech.wav';
  return undefined;
}

/** The texts of an embedContent or batchEmbedContents body and their settings, as Google's SDKs take both. */
export function embeddedIn(body: Readonly<Record<string, unknown>>): {
  readonly contents: unknown;
  readonly config?: object;
} {
  const requests = (body['requests'] ?? [body]) as readonly Readonly<Record<string, unknown>>[];
  const texts = requests.flatMap(({ content }) =>
    ((content as { parts?: { text: string }[] } | undefined)?.parts ?? []).map(({ text }) => text),
  );
  const { content: _content, model: _model, ...config } = requests[0] ?? {};
  return {
    contents: texts.length === 1 ? texts[0] : texts,
    ...(Object.keys(config).length > 0 && { config }),
  };
}
