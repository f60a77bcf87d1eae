/** The forms in which callers hand over media. Long texts are never scanned whole: a body may carry 60 MB of them. */
import type { Json } from '@model-gateway/contracts';
import { shown, wrong } from './fields.ts';

const LONGEST_ADDRESS = 8192;
/** Base64 without a `data:` head is told from a mistyped address by its length and its first characters. */
const SHORTEST_BASE64 = 64;
const BASE64_START = /^[A-Za-z0-9+/]{64}/;

export interface AddressForms {
  /** `asset://…` of the vendor's own library. */
  readonly asset?: boolean;
  /** `oss://…`, DashScope's temporary uploads. */
  readonly oss?: boolean;
  /** Base64 without a `data:` head. */
  readonly bareBase64?: boolean;
  readonly dataUrl?: boolean;
}

export type MediaAddress =
  | { readonly form: 'link' | 'asset'; readonly url: string }
  /** `start` is where the base64 begins. */
  | { readonly form: 'base64'; readonly url: string; readonly start: number };

/** Reads one medium's address, or 400 naming it and the forms that are taken. */
export function readAddress(value: Json | undefined, path: string, forms: AddressForms): MediaAddress {
  if (typeof value !== 'string' || value === '') {
    throw wrong(path, `must be ${formsText(forms)}; it is ${value === undefined ? 'missing' : shown(value)}`);
  }
  if (/^data:/i.test(value.slice(0, 5))) {
    if (forms.dataUrl !== true) throw wrong(path, `must be ${formsText(forms)}; it is a data: URL`);
    return { form: 'base64', url: value, start: base64Start(value, path) };
  }
  if (forms.bareBase64 === true && value.length >= SHORTEST_BASE64 && BASE64_START.test(value.slice(0, 64))) {
    return { form: 'base64', url: value, start: 0 };
  }
  if (value.length > LONGEST_ADDRESS) {
    throw wrong(path, `must be ${formsText(forms)}; an address of ${value.length} characters is too long`);
  }
  if (/^https?:\/\//i.test(value)) {
    if (!URL.canParse(value)) throw wrong(path, `must be ${formsText(forms)}; ${shown(value)} is no web address`);
    return { form: 'link', url: value };
  }
  if (forms.asset === true && /^asset:\/\/[^\s/]/i.test(value)) return { form: 'asset', url: value };
  if (forms.oss === true && /^oss:\/\/[^\s/]/i.test(value)) return { form: 'asset', url: value };
  throw wrong(path, `must be ${formsText(forms)}; it is ${shown(value)}`);
}

function base64Start(value: string, path: string): number {
  const comma = value.slice(0, 400).indexOf(',');
  if (comma < 0 || !/;base64$/i.test(value.slice(0, comma))) {
    throw wrong(path, 'must be base64 when it is a data: URL, as in data:image/png;base64,…');
  }
  return comma + 1;
}

function formsText(forms: AddressForms): string {
  const words = ['a web address (https://…)'];
  if (forms.dataUrl === true) words.push('a data: URL with base64');
  if (forms.asset === true) words.push('an asset:// identifier');
  if (forms.oss === true) words.push('an oss:// address');
  if (words.length === 1) return words[0] ?? '';
  return `${words.slice(0, -1).join(', ')} or ${words.at(-1) ?? ''}`;
}
