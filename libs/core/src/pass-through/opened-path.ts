/** Which of a vendor's own paths an operator has opened. A list of what may be asked, never of what may not. */
import { GatewayError } from '@model-gateway/contracts';

/** Characters of a path segment (RFC 3986, 3.3). */
const SEGMENT = /^(?:[A-Za-z0-9._~!$&'()*+,;=:@-]|%[0-9A-Fa-f]{2})+$/;
/**
 * What a decoded segment must not have: a step, also before parameters or spaces (`..;a`), which some servers take off, a separator of either kind, an escape that a second decoding would open, a control character.
 */
const UNSAFE = /^\.{0,2}\s*(?:;|$)|[/\\\u0000-\u001f\u007f]|%[0-9A-Fa-f]{2}/;
const LONGEST_PATH = 2048;
const QUERY = /^[\x21\x22\x24-\x7e]*$/;
const LONGEST_QUERY = 8192;

/** A path as it was opened: `/files/*`, `/models/*:predict`, `/batches/**`. */
export class PathPattern {
  private readonly segments: readonly RegExp[];
  /** Ends with `**`: whatever lies below, at any depth. */
  private readonly isOpenEnded: boolean;

  constructor(text: string) {
    const segments = text.split('/').slice(1);
    this.isOpenEnded = segments.at(-1) === '**';
    this.segments = (this.isOpenEnded ? segments.slice(0, -1) : segments).map(
      (segment) => new RegExp(`^${segment.split('*').map(escaped).join('.+')}$`, 'u'),
    );
  }

  /** Whether it names a path of these decoded segments. */
  names(decoded: readonly string[]): boolean {
    const { segments, isOpenEnded } = this;
    if (isOpenEnded ? decoded.length <= segments.length : decoded.length !== segments.length) return false;
    return segments.every((segment, at) => segment.test(decoded[at] ?? ''));
  }
}

/** What is wrong with a pattern, in a few words; undefined when nothing is. */
export function openedPathFault(text: string): string | undefined {
  if (!text.startsWith('/') || text.endsWith('/')) return 'it begins with a slash, and does not end with one';
  const segments = text.split('/').slice(1);
  if (segments.some((segment) => segment === '' || UNSAFE.test(segment)))
    return 'it has an empty segment, a step or an escape';
  const starred = segments.findIndex((segment) => segment.includes('**'));
  if (starred !== -1 && (starred < segments.length - 1 || segments[starred] !== '**'))
    return '** stands alone, at the end';
  if (segments.some((segment) => segment !== '**' && segment.split('*').length > 2))
    return 'a segment has one star at most';
  return undefined;
}

function escaped(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
}

/**
 * The decoded segments of a path as it was written. Throws `invalid_request` for one that somebody on the way could read as another
 * path: with steps, empty segments, encoded separators or escapes of escapes.
 */
export function segmentsOf(written: string): readonly string[] {
  if (written.length > LONGEST_PATH) throw wrongPath(`has more than ${LONGEST_PATH} characters`);
  return written.split('/').map((segment) => {
    if (!SEGMENT.test(segment)) throw wrongPath('has an empty segment, or characters that a path does not have');
    let decoded: string;
    try {
      decoded = decodeURIComponent(segment);
    } catch {
      throw wrongPath('is not percent-encoded UTF-8');
    }
    if (UNSAFE.test(decoded)) throw wrongPath('has a step or an encoded separator');
    return decoded;
  });
}

/** A query as it is sent on, with its question mark: without parameters that carry the caller's own key. */
export function queryWithout(query: string, secret: string | undefined): string {
  if (query === '') return '';
  if (query.length > LONGEST_QUERY || !QUERY.test(query))
    throw new GatewayError(
      'invalid_request',
      `the query has more than ${LONGEST_QUERY} characters, or some that a query does not have`,
    );
  const kept = query.split('&').filter((pair) => secret === undefined || !decodedQuery(pair).includes(secret));
  return kept.length === 0 ? '' : `?${kept.join('&')}`;
}

function decodedQuery(pair: string): string {
  try {
    return decodeURIComponent(pair.replaceAll('+', ' '));
  } catch {
    return pair;
  }
}

function wrongPath(why: string): GatewayError {
  return new GatewayError('invalid_request', `the path behind the account ${why}`, { param: 'path' });
}
