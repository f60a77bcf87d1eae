/** Chat completions that their callers want kept (`store: true`): answered as ever, kept as responses are, listed, read, changed and deleted. */
import { GatewayError, isJsonObject, withoutTopLevel, type Json, type JsonObject } from '@model-gateway/contracts';
import { createSseParser, isSseComment, keptResponses } from '@model-gateway/translate';
import type { Sink } from '../kinds/chat/chat-stream.ts';
import type { Chat, ChatAnswer, ChatCall, ChatTrace } from '../kinds/chat/types.ts';
import { newTrace } from '../paid/trace.ts';
import type { CompletionsQuery, ResponseRecord, Tenant } from '../ports.ts';
import { assembled } from '../requests/content/assembled.ts';
import type { Archive } from './archive.ts';
import { completionIdOf, isCompletionId, noSuch } from './ids.ts';
import { pageOf, type Page, type PageQuery } from './kept-responses.ts';
import type { ResponseParts } from './types.ts';

const PARAM = 'completion_id';
/** What is said to the gateway. */
const OF_KEEPING = new Set(['store', 'metadata']);
const USUAL_LIMIT = 20;
/** Sealed bytes of one page: a page of very long answers has fewer of them. */
const MOST_PAGE = 16 * 1024 * 1024;

export interface CompletionPageQuery extends PageQuery {
  readonly model?: string;
  /** Pairs that all must be there. */
  readonly metadata: Readonly<Record<string, string>>;
}

export class KeptCompletions implements Chat {
  private readonly parts: ResponseParts;
  private readonly chat: Chat;
  private readonly archive: Archive;

  constructor(parts: ResponseParts, chat: Chat, archive: Archive) {
    this.parts = parts;
    this.chat = chat;
    this.archive = archive;
  }

  /** Answers as the chat does; a request that wants its answer kept is shown an id of the gateway's, and its vendor keeps nothing. */
  async answer(call: ChatCall, trace: ChatTrace = newTrace()): Promise<ChatAnswer> {
    if (call.body.json['store'] !== true) return this.chat.answer(call, trace);
    const metadata = keptResponses.metadataIn(call.body.json['metadata']);
    const { store: _store, metadata: _metadata, ...json } = call.body.json;
    const bytes = withoutTopLevel(call.body.bytes, OF_KEEPING);
    const { reply } = await this.chat.answer({ ...call, body: { json, bytes } }, trace);
    const id = completionIdOf(this.parts.randomId());
    if (reply.type === 'stream') return { trace, reply: this.keptStream(call, { id, metadata }, reply) };
    const text = typeof reply.body === 'string' ? reply.body : Buffer.from(reply.body).toString();
    const own = JSON.parse(text) as JsonObject;
    const shown = { ...own, id, metadata };
    return { trace, reply: { type: 'whole', body: (await this.keep(call, shown)) ? JSON.stringify(shown) : text } };
  }

  /** Its events under the id; the end is told when it is kept, so that whoever reads it finds it. */
  private keptStream(
    call: ChatCall,
    { id, metadata }: { readonly id: string; readonly metadata: JsonObject },
    reply: Extract<ChatAnswer['reply'], { type: 'stream' }>,
  ): ChatAnswer['reply'] {
    return {
      type: 'stream',
      pipe: async (sink) => {
        const shown = new ShownPieces(sink, id);
        const end = await reply.pipe(shown);
        shown.end();
        if (end.finished && !end.failed) {
          const whole = assembled({
            ...shown.sent(),
            dialect: call.dialect,
            model: call.model,
            asked: call.body.json,
            at: this.parts.now(),
            requestId: call.caller.requestId,
          });
          if (isJsonObject(whole) && whole['error'] === undefined) await this.keep(call, { ...whole, id, metadata });
        }
        shown.finish();
        return end;
      },
    };
  }

  /** Whether it was kept: an answer that is paid for is given all the same. */
  private async keep(call: ChatCall, shown: JsonObject & { readonly id: string }): Promise<boolean> {
    const { messages } = call.body.json;
    try {
      const items = Array.isArray(messages) ? messages.filter(isJsonObject) : [];
      const marks = this.marksOf(call.caller.key, shown['metadata']);
      const answer = { id: shown.id, kind: 'chat-completion', status: 'completed' } as const;
      await this.archive.keepEnded(call, answer, { items, shown }, { marks });
      return true;
    } catch (error) {
      this.parts.log.warn({ err: error, request_id: call.caller.requestId }, 'a chat completion could not be kept');
      return false;
    }
  }

  /** Throws `not_found`, for another tenant's too, as the others do. */
  async get(tenant: Tenant, id: string): Promise<JsonObject> {
    return this.archive.openReply(await this.find(tenant, id));
  }

  /** Throws `invalid_request` where the one behind which the page begins is none of the tenant's. */
  async list(
    tenant: Tenant,
    { limit = USUAL_LIMIT, after, order = 'asc', model, metadata }: CompletionPageQuery,
  ): Promise<Page> {
    const { store, now } = this.parts;
    const query: CompletionsQuery = {
      limit: limit + 1,
      order,
      ...(model !== undefined && { model }),
      ...(after !== undefined && { after: await this.placeOf(tenant, after) }),
      marks: Object.entries(metadata).map(([name, text]) => this.marksOfPair(tenant, name, text)),
    };
    const found = await store.responses.completions(tenant, query, now());
    let bytes = 0;
    const fitting = found.filter(({ size }, at) => {
      bytes += size;
      return at === 0 || bytes <= MOST_PAGE;
    });
    const page = fitting.slice(0, limit);
    const records = await Promise.all(page.map(({ id }) => store.responses.find(tenant, id, now())));
    const items = records.flatMap((record) => (record === undefined ? [] : [this.archive.openReply(record)]));
    return { items, hasMore: found.length > page.length };
  }

  /** The answer with other metadata. */
  async update(tenant: Tenant, id: string, given: Json | undefined): Promise<JsonObject> {
    const metadata = keptResponses.metadataIn(given);
    const record = await this.find(tenant, id);
    const shown = { ...this.archive.openReply(record), metadata };
    const sealed = this.archive.sealReply(record, shown);
    if (!(await this.parts.store.responses.updateReply(tenant, id, sealed, this.marksOf(record, metadata))))
      throw noSuch('chat completion', id, PARAM);
    return shown;
  }

  async remove(tenant: Tenant, id: string): Promise<void> {
    await this.find(tenant, id);
    if (!(await this.parts.store.responses.remove(tenant, id))) throw noSuch('chat completion', id, PARAM);
  }

  /** What it was asked with. */
  async messages(tenant: Tenant, id: string, { order = 'asc', ...query }: PageQuery): Promise<Page> {
    const { items } = this.archive.openAsked(await this.find(tenant, id));
    return pageOf(
      items.map((message, at) => storedMessage(message, `${id}-${at}`)),
      { order, ...query },
      (item) => item,
    );
  }

  private async find(tenant: Tenant, id: string): Promise<ResponseRecord> {
    const { store, now } = this.parts;
    const found = isCompletionId(id) ? await store.responses.find(tenant, id, now()) : undefined;
    if (found === undefined) throw noSuch('chat completion', id, PARAM);
    return found;
  }

  private async placeOf(tenant: Tenant, after: string): Promise<ResponseRecord> {
    return this.find(tenant, after).catch(() => {
      throw new GatewayError(
        'invalid_request',
        `after: there is no chat completion '${after.slice(0, 100)}' in this list`,
        { param: 'after' },
      );
    });
  }

  /** By the newest key: whoever looks asks by all of them. */
  private marksOf(tenant: Tenant, metadata: Json | undefined): readonly string[] {
    if (!isJsonObject(metadata)) return [];
    return Object.entries(metadata).flatMap(([name, text]) =>
      typeof text === 'string' ? this.marksOfPair(tenant, name, text).slice(0, 1) : [],
    );
  }

  private marksOfPair({ ownerId, mode }: Tenant, name: string, text: string): readonly string[] {
    return this.parts.keeping.sealing.marks(JSON.stringify(['metadata', ownerId, mode, name, text]));
  }
}

/** Pieces of a stream on their way to its caller, and the bytes of them. `[DONE]` waits. */
class ShownPieces implements Sink {
  private readonly sink: Sink;
  private readonly id: string;
  private readonly parser = createSseParser();
  private readonly events: string[] = [];
  private done = '';

  constructor(sink: Sink, id: string) {
    this.sink = sink;
    this.id = id;
  }

  write(chunk: Uint8Array | string): boolean {
    const bytes = typeof chunk === 'string' ? Buffer.from(chunk) : chunk;
    const found = this.parser.push(bytes);
    // A comment that keeps the connection warm.
    if (found.length === 0 && isSseComment(bytes)) return this.sink.write(chunk);
    return this.show(found);
  }

  drained(): Promise<void> {
    return this.sink.drained();
  }

  /** After the last byte. */
  end(): void {
    this.show(this.parser.end());
  }

  /** After all else. */
  finish(): void {
    if (this.done !== '') this.sink.write(this.done);
  }

  sent(): { readonly contentType: string; readonly bytes: Uint8Array; readonly size: number } {
    const bytes = Buffer.from(this.events.join(''));
    return { contentType: 'text/event-stream', bytes, size: bytes.length };
  }

  private show(found: readonly { readonly data: string }[]): boolean {
    let out = '';
    for (const { data } of found) {
      if (data === '[DONE]') this.done = 'data: [DONE]\n\n';
      else out += `data: ${this.renamed(data)}\n\n`;
    }
    if (out === '') return true;
    this.events.push(out);
    return this.sink.write(out);
  }

  /** An error has no id. */
  private renamed(data: string): string {
    try {
      const event = JSON.parse(data) as Json;
      return isJsonObject(event) && event['choices'] !== undefined ? JSON.stringify({ ...event, id: this.id }) : data;
    } catch {
      return data;
    }
  }
}

/** A message as it is listed. */
function storedMessage({ content, ...message }: JsonObject, id: string): JsonObject {
  const parts = Array.isArray(content) ? content : null;
  return {
    ...message,
    id,
    content: typeof content === 'string' ? content : null,
    refusal: message['refusal'] ?? null,
    name: message['name'] ?? null,
    content_parts: parts,
  };
}
