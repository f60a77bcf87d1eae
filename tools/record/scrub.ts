/** Takes out of a recorded answer whatever opens something or names somebody, and shortens embedded media. What stays has the same shape. */

/** Fields whose value names the account, the request or a signature, by the end of their name. */
const NAMING =
  /(?:^|[_-])(?:request_?id|trace_?id|organization|project_?id|account_?id|user_?id|team_?id|owner|email|session_?id|fingerprint|x-request-id)$/i;
/** What a key, token or signature looks like. */
const SECRETS: readonly RegExp[] = [
  /\b(?:sk|pk|rk|xai|gsk|AIza|AKID|ya29)[-_.A-Za-z0-9]{12,}/g,
  /\bBearer\s+[\w.~+/=-]{8,}/gi,
  /\beyJ[\w-]{8,}\.[\w-]{8,}\.[\w-]+/g,
  /\b(?:org|proj|user|acct)[-_][A-Za-z0-9]{6,}/g,
  /[\w.+-]+@[\w-]+\.[\w.]+/g,
];
/** Query parameters of signed links. */
const SIGNED =
  /([?&](?:X-Amz-[\w-]+|X-Tos-[\w-]+|X-Goog-[\w-]+|Signature|Expires|OSSAccessKeyId|AWSAccessKeyId|sig|se|sv|sp|sr|token|key|auth_key)=)[^&"'\\\s]+/gi;
const LONGEST_MEDIA = 512;
const BASE64 = /^[A-Za-z0-9+/_-]+={0,2}$/;

/** Scrubs text of any kind: the given secrets first, then whatever looks like one. */
export function scrubText(text: string, secrets: readonly string[]): string {
  let clean = text;
  for (const secret of secrets) if (secret.length >= 4) clean = clean.replaceAll(secret, '[removed]');
  for (const pattern of SECRETS) clean = clean.replace(pattern, '[removed]');
  return clean.replace(SIGNED, '$1[removed]');
}

/** Scrubs a JSON value: as text, and by the names of its fields; long base64 is cut. */
export function scrubJson(value: unknown, secrets: readonly string[], name = ''): unknown {
  if (typeof value === 'string') {
    if (NAMING.test(name) && value !== '') return '[removed]';
    if (value.length > LONGEST_MEDIA && BASE64.test(value.slice(0, LONGEST_MEDIA))) return value.slice(0, 64);
    return scrubText(value, secrets);
  }
  if (typeof value === 'number') return NAMING.test(name) ? 0 : value;
  if (Array.isArray(value)) return value.map((item) => scrubJson(item, secrets, name));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, scrubJson(item, secrets, key)]));
}

/** Scrubs an event stream: each `data:` line that is JSON as JSON, everything else as text. Line ends stay as they came. */
export function scrubEvents(text: string, secrets: readonly string[]): string {
  return text.replace(/^(data: ?)([^\r\n]*)/gm, (_whole, head: string, data: string) => {
    try {
      return `${head}${JSON.stringify(scrubJson(JSON.parse(data), secrets))}`;
    } catch {
      return `${head}${scrubText(data, secrets)}`;
    }
  });
}
