import { GatewayError } from '@model-gateway/contracts';

const HEAD = /^data:(?<mime>[\w.+-]+\/[\w.+-]+)?(?:;[\w-]+=[^;,]{0,100})*;base64,/i;

export interface EmbeddedMedia {
  readonly mime: string;
  /** As it stands in the address: standard base64. */
  readonly base64: string;
}

/** The content of a `data:` URL; undefined for any other address. 400 naming `param` when it is a data URL without base64. */
export function readDataUrl(url: string, param: string): EmbeddedMedia | undefined {
  if (!/^data:/i.test(url)) return undefined;
  const head = HEAD.exec(url.slice(0, 400));
  if (head === null) {
    throw new GatewayError('invalid_request', `${param}: a data: URL must be base64, as in data:image/png;base64,…`, {
      param,
    });
  }
  return {
    mime: (head.groups?.['mime'] ?? 'application/octet-stream').toLowerCase(),
    base64: url.slice(head[0].length),
  };
}
