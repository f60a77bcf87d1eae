/**
 * Pictures that a model made, for callers whose dialect has no place for their bytes (`ChatDialect.picturesByAddress`): they are kept as
 * files of the gateway, and the answer shows their signed links.
 */
import type { ChatDialect, ChatEvent, ChatReply, ImagePart } from '@model-gateway/translate';
import type { Caller, Parts } from '../../parts.ts';
import type { KeptFiles } from '../../files/kept-files.ts';
import type { Sink } from './chat-stream.ts';

/** Gives the picture by its address; as it was where it could not be kept. Never rejects. */
export type ShowPicture = (part: ImagePart) => Promise<ImagePart>;

export type PictureParts = Pick<Parts, 'log' | 'meter'> & { readonly keptFiles: KeptFiles };

/** Makes what keeps the pictures of one caller's answer. */
export function createShowPicture({ keptFiles, log, meter }: PictureParts, { key, requestId }: Caller): ShowPicture {
  return async (part) => {
    const { source } = part;
    if (source.type !== 'base64') return part;
    try {
      const bytes = Buffer.from(source.data, 'base64');
      const url = await keptFiles.keep({ bytes, mime: source.mime, tenant: key });
      return { ...part, source: { type: 'url', url, mime: source.mime } };
    } catch (error) {
      // It has been paid for: better long than lost.
      log.error({ err: error, request_id: requestId }, 'a picture could not be kept: its bytes are in the answer');
      meter.count('gateway_pictures_not_kept_total', {});
      return part;
    }
  };
}

/** The reply with its pictures by their addresses, one after the other; only the first answer has a place in these dialects. */
export async function showPictures(reply: ChatReply, show: ShowPicture): Promise<ChatReply> {
  const [choice, ...others] = reply.choices;
  if (choice?.parts.some(isEmbedded) !== true) return reply;
  const parts = [];
  for (const part of choice.parts) parts.push(part.type === 'image' ? await show(part) : part);
  return { ...reply, choices: [{ ...choice, parts }, ...others] };
}

function isEmbedded(part: { readonly type: string }): boolean {
  return part.type === 'image' && (part as ImagePart).source.type === 'base64';
}

/** A stream's way to its caller while pictures of it are kept. */
export interface PictureStream {
  /** Writes what comes behind a picture when that has been kept; everything else at once. */
  readonly dialect: ChatDialect;
  readonly sink: Sink;
  /** Resolves when nothing is held back. */
  settled(): Promise<void>;
}

export interface PictureStreamOptions {
  readonly show: ShowPicture;
  readonly sink: Sink;
  /** Aborted when the caller has gone: nobody would open the links. */
  readonly signal: AbortSignal;
}

/** Puts the pictures of one stream into their places. */
export function createPictureStream(to: ChatDialect, { show, sink, signal }: PictureStreamOptions): PictureStream {
  let keeping: Promise<void> | undefined;
  /** Set while the caller reads slower than is written: it may end while a picture is kept. */
  let draining: Promise<void> | undefined;
  const write = (chunk: Uint8Array | string): boolean => {
    if (sink.write(chunk)) return true;
    draining ??= sink.drained().then(() => (draining = undefined));
    return false;
  };
  const settled = async (): Promise<void> => {
    while (keeping !== undefined) await keeping;
  };

  const streamEncoder: ChatDialect['streamEncoder'] = (context) => {
    const encoder = to.streamEncoder(context);
    const waiting: ChatEvent[] = [];
    const keep = async (event: ChatEvent & { readonly type: 'image' }): Promise<void> => {
      let text = encoder.push({ ...event, part: await show(event.part) });
      keeping = undefined;
      for (const next of waiting.splice(0)) text += push(next);
      if (text !== '' && !signal.aborted) write(text);
    };
    const push = (event: ChatEvent): string => {
      if (keeping !== undefined) {
        waiting.push(event);
        return '';
      }
      if (event.type !== 'image' || !isEmbedded(event.part) || signal.aborted) return encoder.push(event);
      keeping = keep(event);
      // Something has to be written for the sink to slow the vendor down.
      return encoder.keepAlive();
    };
    return { push, keepAlive: () => encoder.keepAlive() };
  };

  return {
    dialect: { ...to, streamEncoder },
    sink: {
      write: (chunk) => write(chunk) && keeping === undefined,
      async drained() {
        await settled();
        await draining;
      },
    },
    settled,
  };
}
