/** Media as callers write it: data URLs in all their sloppiness, and what the bytes really are. */
import type { MediaSource } from '../conversation.ts';
import { invalid } from './read.ts';

/** First bytes that give a file away, as hex; `at` counts bytes from the start. */
const MAGIC: readonly { readonly hex: string; readonly at?: number; readonly mime: string }[] = [
  { hex: '89504e470d0a1a0a', mime: 'image/png' },
  { hex: 'ffd8ff', mime: 'image/jpeg' },
  { hex: '47494638', mime: 'image/gif' },
  { hex: '57454250', at: 8, mime: 'image/webp' },
  { hex: '49492a00', mime: 'image/tiff' },
  { hex: '4d4d002a', mime: 'image/tiff' },
  { hex: '6674797061766966', at: 4, mime: 'image/avif' },
  { hex: '6674797068656963', at: 4, mime: 'image/heic' },
  { hex: '667479706d696631', at: 4, mime: 'image/heif' },
  { hex: '6674797071742020', at: 4, mime: 'video/quicktime' },
  { hex: '667479704d344120', at: 4, mime: 'audio/mp4' },
  { hex: '66747970', at: 4, mime: 'video/mp4' },
  { hex: '1a45dfa3', mime: 'video/webm' },
  { hex: '25504446', mime: 'application/pdf' },
  { hex: '57415645', at: 8, mime: 'audio/wav' },
  { hex: '494433', mime: 'audio/mpeg' },
  { hex: '664c6143', mime: 'audio/flac' },
  { hex: '4f676753', mime: 'audio/ogg' },
  { hex: 'fff1', mime: 'audio/aac' },
  { hex: 'fff9', mime: 'audio/aac' },
  { hex: 'fffb', mime: 'audio/mpeg' },
  { hex: 'fff3', mime: 'audio/mpeg' },
  { hex: 'fff2', mime: 'audio/mpeg' },
  { hex: '424d', mime: 'image/bmp' },
];

/** What the bytes of a base64 text are, by their first few; undefined when they do not say. */
export function sniffMime(base64: string): string | undefined {
  const head = Buffer.from(base64.slice(0, 64), 'base64').toString('hex');
  return MAGIC.find(({ hex, at = 0 }) => head.startsWith(hex, at * 2))?.mime;
}

/** The declared type unless the bytes say otherwise: a wrong one makes strict vendors fail. Undefined when nobody knows. */
export function trueMime(declared: string | undefined, base64: string): string | undefined {
  return sniffMime(base64) ?? normalMime(declared);
}

function normalMime(declared: string | undefined): string | undefined {
  if (declared === undefined) return undefined;
  const bare = (declared.split(';', 1)[0] ?? '').trim().toLowerCase();
  if (bare === '' || bare === 'application/octet-stream') return undefined;
  if (bare === 'image/jpg') return 'image/jpeg';
  if (bare === 'audio/mp3') return 'audio/mpeg';
  if (bare === 'audio/x-wav' || bare === 'audio/wave') return 'audio/wav';
  return bare;
}

/** Standard base64 without spaces, padded: what every vendor takes. Cheap for text that is so already. */
export function cleanBase64(text: string): string {
  let clean = text;
  for (const blank of ['\n', '\r', ' ', '\t']) if (clean.includes(blank)) clean = clean.split(blank).join('');
  if (clean.includes('%')) clean = percentDecoded(clean);
  if (clean.includes('-')) clean = clean.split('-').join('+');
  if (clean.includes('_')) clean = clean.split('_').join('/');
  const left = clean.length % 4;
  return left === 0 || clean.endsWith('=') ? clean : clean + '='.repeat(4 - left);
}

function percentDecoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/**
 * `data:[mime][;parameters][;base64],…` → base64 and its true type. A missing type is read from the bytes, then `fallback`;
 * `place` is named when nothing helps.
 */
export function parseDataUrl(
  url: string,
  place: string,
  fallback?: string,
): { readonly mime: string; readonly data: string } {
  const comma = url.indexOf(',');
  if (comma < 0) throw invalid(place, 'is a data URL without a comma; write data:image/png;base64,<bytes>');
  const head = url
    .slice('data:'.length, comma)
    .split(';')
    .map((piece) => piece.trim());
  const body = url.slice(comma + 1);
  const isBase64 = head.some((piece) => piece.toLowerCase() === 'base64');
  const data = isBase64 ? cleanBase64(body) : Buffer.from(percentDecoded(body), 'utf8').toString('base64');
  if (data === '') throw invalid(place, 'is a data URL without data');
  if (isBase64 && !looksBase64(data)) throw invalid(place, 'is a data URL whose data is not base64');
  const mime = trueMime(head[0], data) ?? fallback ?? (isBase64 ? undefined : 'text/plain');
  if (mime === undefined) throw invalid(place, 'is a data URL of unknown type; write data:<mime type>;base64,<bytes>');
  return { mime, data };
}

/** Looks at both ends only: the middle of sixty megabytes is the vendor's to judge. */
function looksBase64(data: string): boolean {
  const pattern = /^[A-Za-z0-9+/]*={0,2}$/;
  return pattern.test(data.slice(0, 256).replace(/=+$/, '')) && pattern.test(data.slice(-256));
}

export function isDataUrl(url: string): boolean {
  return url.slice(0, 5).toLowerCase() === 'data:';
}

/** A URL field of any wire → where the bytes are. */
export function mediaFromUrl(url: string, place: string, fallbackMime?: string): MediaSource {
  if (isDataUrl(url)) return { type: 'base64', ...parseDataUrl(url, place, fallbackMime) };
  if (!/^[a-z][a-z0-9+.-]*:/i.test(url.slice(0, 32))) {
    throw invalid(place, 'must be a URL (https://…) or a data URL (data:image/png;base64,…)');
  }
  const mime = mimeOfUrl(url);
  return mime === undefined ? { type: 'url', url } : { type: 'url', url, mime };
}

/** A URL of a model's answer; undefined when it is none: a vendor's slip is no reason to fail. */
export function mediaOfReply(url: string | undefined, fallbackMime?: string): MediaSource | undefined {
  if (url === undefined) return undefined;
  try {
    return mediaFromUrl(url, '', fallbackMime);
  } catch {
    return undefined;
  }
}

/** Base64 and a declared type, as separate fields of a wire. */
export function mediaFromBase64(data: string, declared: string | undefined, place: string): MediaSource {
  if (isDataUrl(data)) return mediaFromUrl(data, place, declared);
  const clean = cleanBase64(data);
  if (clean === '' || !looksBase64(clean)) throw invalid(place, 'must be base64 text');
  const mime = trueMime(declared, clean);
  if (mime === undefined) throw invalid(place, 'is of unknown type; declare its MIME type');
  return { type: 'base64', mime, data: clean };
}

export function toDataUrl(mime: string, data: string): string {
  return `data:${mime};base64,${data}`;
}

const EXTENSIONS: Readonly<Record<string, string>> = {
  png: 'image/png',
  jpg: 'image/jpeg',
  jpeg: 'image/jpeg',
  gif: 'image/gif',
  webp: 'image/webp',
  bmp: 'image/bmp',
  heic: 'image/heic',
  pdf: 'application/pdf',
  wav: 'audio/wav',
  mp3: 'audio/mpeg',
  flac: 'audio/flac',
  ogg: 'audio/ogg',
  opus: 'audio/ogg',
  aac: 'audio/aac',
  m4a: 'audio/mp4',
  mp4: 'video/mp4',
  mov: 'video/quicktime',
  webm: 'video/webm',
  txt: 'text/plain',
  md: 'text/markdown',
  csv: 'text/csv',
  json: 'application/json',
  html: 'text/html',
};

/** By the extension of its path; undefined when it has none we know. */
export function mimeOfUrl(url: string): string | undefined {
  const path = url.split(/[?#]/, 1)[0] ?? '';
  const extension = path.slice(path.lastIndexOf('.') + 1).toLowerCase();
  return Object.hasOwn(EXTENSIONS, extension) ? EXTENSIONS[extension] : undefined;
}

/** OpenAI's audio word for a MIME type: `wav`, `mp3`, …; undefined for one it has no word for. */
export function audioFormat(mime: string): string | undefined {
  const word = AUDIO_WORDS.find(([, type]) => type === normalMime(mime));
  return word?.[0];
}

/** The MIME type of OpenAI's audio word. */
export function audioMime(format: string): string | undefined {
  return AUDIO_WORDS.find(([word]) => word === format.toLowerCase())?.[1];
}

const AUDIO_WORDS: readonly (readonly [string, string])[] = [
  ['wav', 'audio/wav'],
  ['mp3', 'audio/mpeg'],
  ['aac', 'audio/aac'],
  ['flac', 'audio/flac'],
  ['opus', 'audio/ogg'],
  ['ogg', 'audio/ogg'],
  ['m4a', 'audio/mp4'],
  ['pcm16', 'audio/pcm'],
];
