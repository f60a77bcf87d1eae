import type { Request } from 'express';
import { setTopLevel, GatewayError, isJsonObject, type DialectName, type JsonObject } from '@model-gateway/contracts';
import type { ChatCall, Recording, Sink } from '@model-gateway/core';
import { dialects } from '@model-gateway/translate';

const HEADER = 'x-gateway-resumable';
const OPTIONS = 'stream_options';
const OPTION = 'resumable';

/** Whether the request has a word about it at all: all that is asked of other requests. */
export function speaksOfResuming({ headers }: Pick<Request, 'headers'>, json: JsonObject): boolean {
  return headers[HEADER] !== undefined || json[OPTIONS] !== undefined;
}

/** What it says. Throws `invalid_request` where the word is none, or where there is no stream of events. */
export function asksToResume(request: Request, { dialect, body, stream }: ChatCall): boolean {
  const header = request.headers[HEADER];
  const options = optionsIn(dialect, body.json);
  if (header !== undefined && header !== 'true' && header !== 'false')
    throw wrong(HEADER, `is '${String(header).slice(0, 40)}'; it must be true or false`);
  const option = options?.[OPTION];
  if (option !== undefined && typeof option !== 'boolean') throw wrong(`${OPTIONS}.${OPTION}`, 'must be true or false');
  if (header !== 'true' && option !== true) return false;
  const param = header === 'true' ? HEADER : `${OPTIONS}.${OPTION}`;
  if (!stream) throw wrong(param, 'is for streamed requests; ask for a stream, or leave it out');
  if (dialects[dialect].jsonPieces !== undefined && request.query['alt'] !== 'sse')
    throw wrong(param, 'is for streams of events; ask with alt=sse');
  return true;
}

/** The call without our own word in its body, which no vendor knows. */
export function withoutOption(call: ChatCall): ChatCall {
  const { dialect, body } = call;
  const options = optionsIn(dialect, body.json);
  if (options?.[OPTION] === undefined) return call;
  const { [OPTION]: _option, ...rest } = options;
  const left = Object.keys(rest).length === 0 ? null : rest;
  const bytes = setTopLevel(body.bytes, new Map([[OPTIONS, JSON.stringify(left)]]));
  return { ...call, body: { json: { ...body.json, [OPTIONS]: left }, bytes } };
}

/** A sink that keeps what it sends, and goes on keeping it when the caller has gone. */
export function recordingSink(
  recording: Recording,
  sink: Sink,
  { gone, hasIds }: { readonly gone: AbortSignal; readonly hasIds: boolean },
): Sink {
  return {
    write(chunk) {
      const numbered = recording.write(chunk);
      return gone.aborted || sink.write(hasIds ? numbered : chunk);
    },
    drained: () => sink.drained(),
  };
}

function optionsIn(dialect: DialectName, json: JsonObject): JsonObject | undefined {
  const options = dialects[dialect].hasStreamOptions === true ? json[OPTIONS] : undefined;
  return isJsonObject(options) ? options : undefined;
}

function wrong(param: string, message: string): GatewayError {
  return new GatewayError('invalid_request', `${param} ${message}`, { param });
}
