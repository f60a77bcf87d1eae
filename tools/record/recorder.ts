/** Upstream pools that keep what vendors really answered, byte for byte, beside handing it on. */
import type { UpstreamPools } from '@model-gateway/provider-kit';
import type { Dispatcher } from 'undici';

/** One request and the whole answer to it. */
export interface Exchange {
  readonly method: string;
  /** With the query. */
  readonly path: string;
  /** As it was sent; empty where it was streamed. */
  readonly requestBody: string;
  readonly status: number;
  /** Lower-case names. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
}

/** Wraps pools: `onExchange` is told of every answer when its last byte has come. */
export function recordingPools(pools: UpstreamPools, onExchange: (exchange: Exchange) => void): UpstreamPools {
  return {
    for: (origin, connectSeconds) => pools.for(origin, connectSeconds).compose(recording(onExchange)),
    close: () => pools.close(),
  };
}

function recording(onExchange: (exchange: Exchange) => void): Dispatcher.DispatcherComposeInterceptor {
  return (dispatch) => (options, handler) => {
    const chunks: Buffer[] = [];
    let status = 0;
    let headers: Record<string, string> = {};
    return dispatch(options, {
      ...bound(handler),
      onResponseStart(controller, statusCode, received, message) {
        status = statusCode;
        headers = flat(received);
        handler.onResponseStart?.(controller, statusCode, received, message);
      },
      onResponseData(controller, chunk) {
        chunks.push(Buffer.from(chunk));
        handler.onResponseData?.(controller, chunk);
      },
      onResponseEnd(controller, trailers) {
        const { method, path, body } = options;
        const requestBody =
          typeof body === 'string' || Buffer.isBuffer(body) || body instanceof Uint8Array ? textOf(body) : '';
        onExchange({ method, path, requestBody, status, headers, body: Buffer.concat(chunks) });
        handler.onResponseEnd?.(controller, trailers);
      },
    });
  };
}

/** What is not recorded is handed on as it is. */
function bound(handler: Dispatcher.DispatchHandler): Dispatcher.DispatchHandler {
  return {
    onRequestStart: (controller, context) => handler.onRequestStart?.(controller, context),
    onRequestUpgrade: (...given) => handler.onRequestUpgrade?.(...given),
    onResponseError: (controller, error) => handler.onResponseError?.(controller, error),
  };
}

function textOf(body: string | Uint8Array): string {
  return typeof body === 'string' ? body : Buffer.from(body).toString('utf8');
}

function flat(headers: Readonly<Record<string, string | string[] | undefined>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [
      name.toLowerCase(),
      Array.isArray(value) ? value.join(', ') : (value ?? ''),
    ]),
  );
}
