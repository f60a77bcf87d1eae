/** Chat in the Responses format whose answers the gateway keeps, and which goes on from those that it has kept. */
import { setTopLevel, GatewayError, type JsonObject } from '@model-gateway/contracts';
import { keptResponses, type KeepingWish, type KeptAs } from '@model-gateway/translate';
import type { Chat, ChatAnswer, ChatCall, ChatTrace } from '../kinds/chat/types.ts';
import type { Sink, StreamEnd } from '../kinds/chat/chat-stream.ts';
import { newTrace } from '../paid/trace.ts';
import { writeJsonInTurns } from '../kinds/chat/write-json.ts';
import type { ResponseStatus } from '../ports.ts';
import type { Archive } from './archive.ts';
import { isOwnId, responseIdOf } from './ids.ts';
import { withReferences } from './references.ts';
import { createShownStream } from './kept-stream.ts';
import type { LiveResponses } from './live-responses.ts';
import type { ResponseParts } from './types.ts';

const LARGE_BYTES = 1024 * 1024;

type StreamReply = Extract<ChatAnswer['reply'], { type: 'stream' }>;
type Kept = KeptAs & Pick<KeepingWish, 'store'>;

/** Puts a request into the queue of what is answered in the background. */
export type Enqueue = (call: ChatCall, wish: KeepingWish, trace: ChatTrace) => Promise<ChatAnswer>;

export interface KeptChatOptions {
  readonly parts: ResponseParts;
  readonly chat: Chat;
  readonly archive: Archive;
  readonly enqueue: Enqueue;
  /** Told of what streams and will be kept. */
  readonly live: LiveResponses;
}

/** Wraps the chat of a gateway: requests that ask for nothing to be kept pass as they came. */
export class KeptChat implements Chat {
  private readonly options: KeptChatOptions;

  constructor(options: KeptChatOptions) {
    this.options = options;
  }

  answer(call: ChatCall, trace: ChatTrace = newTrace()): Promise<ChatAnswer> {
    const { chat, enqueue } = this.options;
    const { json } = call.body;
    if (asksForNothing(json)) return chat.answer(call, trace);
    try {
      const wish = keptResponses.keepingWish(json);
      // The money of a line goes back when the line is answered, and what is answered later would be charged beside it.
      if (wish.background && call.caller.spending !== undefined) {
        const message = 'a response of a batch is answered with its batch: leave background out';
        throw new GatewayError('invalid_request', message, { param: 'background' });
      }
      const { previousId, conversationId } = wish;
      const named = previousId ?? conversationId;
      // What a vendor keeps goes on there, as ever.
      if (named !== undefined && !isOwnId(named)) return chat.answer(call, trace);
      return this.withItems(call, wish).then((whole) =>
        wish.background ? enqueue(whole, wish, trace) : this.answerKept(whole, wish, trace),
      );
    } catch (error) {
      return refused(error);
    }
  }

  private async withItems(call: ChatCall, wish: KeepingWish): Promise<ChatCall> {
    const { parts, archive } = this.options;
    const { store, now } = parts;
    const json = await withReferences({ store, now, archive }, call.caller.key, call.body.json, wish);
    return json === call.body.json ? call : { ...call, body: { json, bytes: Buffer.from(JSON.stringify(json)) } };
  }

  private async answerKept(call: ChatCall, wish: KeepingWish, trace: ChatTrace): Promise<ChatAnswer> {
    const { parts, chat, archive } = this.options;
    const asked = await callWithHistory(archive, call, wish);
    const kept: Kept = { ...wish, id: responseIdOf(parts.randomId()) };
    const { reply } = await chat.answer(asked, trace);
    if (reply.type === 'stream')
      return { trace, reply: { type: 'stream', pipe: (sink) => this.pipeKept(call, kept, reply, sink) } };
    const text = typeof reply.body === 'string' ? reply.body : Buffer.from(reply.body).toString();
    const shown = await this.shown(call, kept, JSON.parse(text) as JsonObject);
    return { trace, reply: { type: 'whole', body: JSON.stringify(shown) } };
  }

  private async pipeKept(call: ChatCall, kept: Kept, reply: StreamReply, sink: Sink): Promise<StreamEnd> {
    const { live } = this.options;
    const { key } = call.caller;
    const watched = kept.store ? live.begin(key, kept.id) : undefined;
    try {
      const { reader, last } = createShownStream(
        sink,
        (response) => keptResponses.shownAs(response, kept, kept.store),
        (event, text) => watched?.add(event, text),
      );
      const end = await reply.pipe(reader);
      reader.end();
      const event = last();
      const response = event && keptResponses.responseIn(event);
      if (response === undefined) return end;
      // Whoever reads the end can go on from it at once.
      const ending = { ...event, response: await this.shown(call, kept, response) };
      const text = keptResponses.eventText(ending);
      watched?.add(ending, text);
      sink.write(text);
      return end;
    } finally {
      if (watched !== undefined) live.end(key, kept.id);
    }
  }

  /** The answer as the caller sees it; kept, if that was asked for. */
  private async shown(call: ChatCall, kept: Kept, reply: JsonObject): Promise<JsonObject> {
    return kept.store ? this.keep(call, kept, reply) : keptResponses.shownAs(reply, kept, false);
  }

  /** Whether it was kept: an answer that is paid for is given all the same, and says so. */
  private async keep(call: ChatCall, kept: KeptAs, reply: JsonObject): Promise<JsonObject> {
    const { parts, archive } = this.options;
    const { ownerId, mode } = call.caller.key;
    const shown = keptResponses.shownAs(reply, kept);
    const { id, previousId, conversationId } = kept;
    const status = statusOf(reply);
    try {
      const items = keptResponses.inputItems(call.body.json['input'], parts.randomId);
      const added =
        conversationId === undefined || status === 'failed'
          ? []
          : archive.sealItems({ id: conversationId, ownerId, mode }, [...items, ...keptResponses.outputOf(reply)]);
      const before = {
        ...(previousId !== undefined && { previousId }),
        ...(conversationId !== undefined && { conversationId }),
      };
      await archive.keepEnded(call, { id, kind: 'response', status, ...before }, { items, shown }, { added });
      return shown;
    } catch (error) {
      parts.log.warn({ err: error, request_id: call.caller.requestId }, 'a response could not be kept');
      return keptResponses.shownAs(reply, kept, false);
    }
  }
}

/** For a gateway that keeps nothing: what needs it is refused with what its operator would set. */
export function refusingKept(chat: Chat): Chat {
  return {
    answer(call, trace) {
      const { json } = call.body;
      for (const field of ['previous_response_id', 'conversation', 'background'] as const) {
        const value = json[field];
        const id = typeof value === 'object' && value !== null && !Array.isArray(value) ? value['id'] : value;
        if (value === true ? field !== 'background' : typeof id !== 'string' || !isOwnId(id)) continue;
        return Promise.reject(
          new GatewayError(
            'invalid_request',
            `${field}: this gateway stores no responses; leave it out, or ask the operator to set security.encryption_key`,
            { param: field },
          ),
        );
      }
      return chat.answer(call, trace);
    },
  };
}

/** A refusal before anybody was asked reaches the caller as all others do. */
async function refused(error: unknown): Promise<never> {
  throw error;
}

/** Whether a request neither is to be kept nor names anything that is. */
export function asksForNothing(json: JsonObject): boolean {
  return (
    json['store'] === false &&
    (json['previous_response_id'] ?? null) === null &&
    (json['conversation'] ?? null) === null &&
    (json['background'] ?? false) === false
  );
}

/** The call as a model is asked: with all that was said before. */
export async function callWithHistory(
  archive: Pick<Archive, 'history'>,
  call: ChatCall,
  wish: KeepingWish,
): Promise<ChatCall> {
  const { items, size } = await archive.history(call.caller.key, wish);
  const json = keptResponses.continued(call.body.json, items, call.stream);
  const bytes = edited(call.body, json) ?? (await bytesOf(json, size + call.body.bytes.length));
  return { ...call, body: { json, bytes } };
}

/** The caller's own bytes where members were only added or changed; undefined where one is gone, or the input another. */
function edited({ bytes, json: before }: ChatCall['body'], json: JsonObject): Buffer | undefined {
  if (json['input'] !== before['input'] || Object.keys(before).some((name) => !Object.hasOwn(json, name)))
    return undefined;
  const changed = Object.entries(json).filter(([name, value]) => value !== before[name]);
  return setTopLevel(bytes, new Map(changed.map(([name, value]) => [name, JSON.stringify(value)])));
}

/** `size` is about how many they are. */
export async function bytesOf(json: JsonObject, size: number): Promise<Buffer> {
  return size > LARGE_BYTES ? writeJsonInTurns(json, size) : Buffer.from(JSON.stringify(json));
}

export function statusOf({ status }: JsonObject): ResponseStatus {
  return status === 'incomplete' || status === 'failed' || status === 'cancelled' ? status : 'completed';
}
