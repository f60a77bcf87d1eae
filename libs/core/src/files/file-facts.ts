/** What is known of a file that somebody sent: a name that harms nobody, and a type by its bytes. */
import { isUtf8 } from 'node:buffer';

/** As much as every signature needs. */
export const HEAD_BYTES = 8 * 1024;
const LONGEST_NAME = 255;

/** The last part of a path, without control characters and what turns text round; `file` where nothing is left. */
export function filenameOf(given: string): string {
  const last = given.split(/[\\/]/).at(-1) ?? '';
  const clean = last
    .toWellFormed()
    .replace(/[\p{Cc}\p{Bidi_Control}\u2028\u2029]/gu, '')
    .trim();
  const name = /^\.*$/.test(clean) ? 'file' : clean;
  return name.slice(0, LONGEST_NAME).toWellFormed();
}

/** Types of texts, which have no signature, by the ending of their name. */
const TEXTS: Readonly<Record<string, string>> = {
  txt: 'text/plain',
  md: 'text/markdown',
  csv: 'text/csv',
  tsv: 'text/tab-separated-values',
  html: 'text/html',
  htm: 'text/html',
  css: 'text/css',
  xml: 'text/xml',
  json: 'application/json',
  jsonl: 'application/jsonl',
  ndjson: 'application/jsonl',
  yaml: 'application/yaml',
  yml: 'application/yaml',
  js: 'text/javascript',
  ts: 'text/plain',
  py: 'text/x-python',
};
const TEXT_TYPE =
  /^(?:text\/[\w.+-]{1,100}|application\/(?:[\w.-]{1,100}\+)?(?:json|jsonl|xml|yaml|javascript|x-ndjson|x-jsonlines))$/;

/** The type by the bytes; of a text, which has no signature, as it was declared or by its name. */
export async function mimeOf(
  head: Buffer,
  { declared, filename }: { readonly declared?: string | undefined; readonly filename: string },
): Promise<string> {
  const { fileTypeFromBuffer } = await import('file-type');
  const found = await fileTypeFromBuffer(head).catch(() => undefined);
  if (found !== undefined) return found.mime.replace(/;.*$/, '');
  if (!isText(head)) return 'application/octet-stream';
  const said = declared?.replace(/;.*$/, '').trim().toLowerCase() ?? '';
  if (TEXT_TYPE.test(said) && said !== 'text/plain') return said;
  const ending = /\.([a-z0-9]{1,8})$/i.exec(filename)?.[1]?.toLowerCase() ?? '';
  return TEXTS[ending] ?? 'text/plain';
}

/** The last character may be cut where the head ends. */
function isText(head: Buffer): boolean {
  if (head.includes(0)) return false;
  for (let cut = 0; cut < 4; cut++) if (isUtf8(head.subarray(0, Math.max(0, head.length - cut)))) return true;
  return false;
}
