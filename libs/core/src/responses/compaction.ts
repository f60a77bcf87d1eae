/** Long conversations made short: by the vendor that serves their model, or by a summary that only this gateway can read (docs/guides/responses.md). */
import { GatewayError, isJsonObject, OPERATIONS, type Json, type JsonObject } from '@model-gateway/contracts';
import { compactions, keptResponses } from '@model-gateway/translate';
import { findModel, offersFor } from '../catalogue.ts';
import type { Chat, ChatAnswer, ChatCall, ChatParts, ChatTrace } from '../kinds/chat/types.ts';
import { newTrace } from '../paid/trace.ts';
import type { Tenant } from '../ports.ts';
import type { Archive } from './archive.ts';
import { isOwnId } from './ids.ts';
import { bytesOf, callWithHistory } from './kept-chat.ts';
import { withReferences } from './references.ts';
import type { CompactionSettings } from './types.ts';
import type { Sealing } from '../sealing.ts';

const { dialect: DIALECT } = OPERATIONS.compactResponse;
/** Written before what was sealed: whoever has made it is told by it. */
const MARK = 'gwc1.';
const ID = 'cmp_gw_';

const PROMPT = `Write a summary of our conversation so far, for someone who will carry it on without having read it. Say what the user wants and why; what was decided and what was ruled out; facts, names, numbers, paths, identifiers and quotations that are still needed, exactly as they were; what tools were used for and what they found; what is done, what is not, and what comes next. Leave nothing out that the next answer may depend on. Write the summary only, in the language of the conversation.`;

/** What summaries are kept secret with; absent where there is no key. */
export interface CompactionKeeping {
  readonly sealing: Sealing;
  readonly archive: Archive;
  readonly compaction?: CompactionSettings;
}

/** Answers `POST /v1/responses/compact`; `chat` is the one that reads compactions. */
export class Compactor {
  private readonly parts: ChatParts;
  private readonly chat: Chat;
  private readonly keeping: CompactionKeeping | undefined;

  constructor(parts: ChatParts, chat: Chat, keeping?: CompactionKeeping) {
    this.parts = parts;
    this.chat = chat;
    this.keeping = keeping;
  }

  /** Always refuses by an error: a message would be taken for the conversation made short. */
  async answer({ onLimit, ...call }: ChatCall, trace: ChatTrace = newTrace()): Promise<ChatAnswer> {
    if (onLimit?.refusal !== undefined) throw onLimit.refusal;
    const whole = await this.withHistory({ ...call, stream: false, cache: 'no-store' });
    if (this.isVendors(whole)) {
      const json = compactions.vendorRequest(whole.body.json);
      return this.chat.answer({ ...(await withBody(whole, json)), purpose: 'compact' }, trace);
    }
    return this.summarise(whole, trace);
  }

  /** With all that was said before, where the gateway has kept it. */
  private async withHistory(call: ChatCall): Promise<ChatCall> {
    const { keeping } = this;
    if (keeping === undefined) return call;
    const wish = keptResponses.keepingWish({ ...call.body.json, store: false, background: false });
    const named = wish.previousId ?? wish.conversationId;
    if (named !== undefined && !isOwnId(named)) return call;
    const { store, now } = this.parts;
    const parts = { store, now, archive: keeping.archive };
    const json = await withReferences(parts, call.caller.key, call.body.json, wish);
    return callWithHistory(keeping.archive, await withBody(call, json), wish);
  }

  /** Whether everybody who serves the model compacts by himself: his item is read by nobody else. */
  private isVendors({ model, caller }: ChatCall): boolean {
    const row = findModel(this.parts.catalogue(), model, ['chat']);
    if (row.route !== undefined) return false;
    return offersFor(this.parts.catalogue(), row, caller.mode).every(
      ({ account, dialects }) =>
        dialects.includes(DIALECT) && this.parts.adapters.get(account.vendor)?.chat?.compacts === true,
    );
  }

  private async summarise(call: ChatCall, trace: ChatTrace): Promise<ChatAnswer> {
    const { keeping, parts } = this;
    if (keeping === undefined)
      throw new GatewayError(
        'not_implemented',
        'this gateway cannot compact conversations of this model, because it has no encryption key; the operator can set security.encryption_key',
      );
    const { model = call.model, prompt = PROMPT } = keeping.compaction ?? {};
    const { json } = call.body;
    const asked = await withBody({ ...call, model }, compactions.summaryRequest({ ...json, model }, prompt));
    const { reply } = await this.chat.answer(asked, trace);
    if (reply.type !== 'whole') throw new GatewayError('internal', 'a whole answer came as a stream');
    const response = JSON.parse(Buffer.from(reply.body).toString()) as JsonObject;
    const summary = compactions.textOf(response);
    if (summary === '')
      throw new GatewayError('upstream_malformed', 'the model wrote no summary of the conversation; ask again');
    const item = {
      id: `${ID}${parts.randomId()}`,
      type: 'compaction',
      encrypted_content: seal(keeping.sealing, call.caller.key, summary),
    };
    const body = {
      id: `resp_${parts.randomId()}`,
      object: 'response.compaction',
      created_at: Math.floor(parts.now() / 1000),
      output: [...compactions.keptMessages(json, parts.randomId), item],
      usage: response['usage'] ?? null,
    };
    return { trace, reply: { type: 'whole', body: JSON.stringify(body) } };
  }
}

/** The chat, which reads the summaries that the gateway has sealed. Without a key they are refused. */
export function readingCompactions(chat: Chat, sealing: Sealing | undefined): Chat {
  return {
    answer(call, trace) {
      if (call.dialect !== DIALECT || !hasOwn(call.body.json['input'])) return chat.answer(call, trace);
      return openedCall(call, sealing).then((opened) => chat.answer(opened, trace));
    },
  };
}

async function openedCall(call: ChatCall, sealing: Sealing | undefined): Promise<ChatCall> {
  return withBody(call, openedBody(call.body.json, call.caller.key, sealing));
}

/** The body with summaries in place of the items that stand for them. Throws `invalid_request` naming the item that cannot be read. */
export function openedBody(body: JsonObject, tenant: Tenant, sealing: Sealing | undefined): JsonObject {
  const { input } = body;
  if (!hasOwn(input)) return body;
  return {
    ...body,
    input: input.map((item, index) =>
      isOwn(item) ? compactions.summaryMessage(open(sealing, tenant, item, `input[${index}]`)) : item,
    ),
  };
}

function hasOwn(input: Json | undefined): input is Json[] {
  return Array.isArray(input) && input.some(isOwn);
}

function isOwn(item: Json): item is JsonObject {
  if (!isJsonObject(item) || item['type'] !== 'compaction') return false;
  return isText(item['encrypted_content'], MARK) || isText(item['id'], ID);
}

function isText(value: Json | undefined, start: string): boolean {
  return typeof value === 'string' && value.startsWith(start);
}

const placeOf = ({ ownerId, mode }: Tenant): string => `compaction ${ownerId} ${mode}`;

function seal(sealing: Sealing, tenant: Tenant, summary: string): string {
  return MARK + Buffer.from(sealing.seal({ summary }, placeOf(tenant))).toString('base64url');
}

function open(sealing: Sealing | undefined, tenant: Tenant, item: JsonObject, param: string): string {
  const { encrypted_content: sealed } = item;
  try {
    if (sealing === undefined || typeof sealed !== 'string' || !sealed.startsWith(MARK)) throw new Error('not ours');
    const opened = sealing.open(Buffer.from(sealed.slice(MARK.length), 'base64url'), placeOf(tenant));
    if (isJsonObject(opened) && typeof opened['summary'] === 'string') return opened['summary'];
    throw new Error('no summary');
  } catch (cause) {
    throw new GatewayError(
      'invalid_request',
      `${param}: this compaction cannot be read: another gateway or another owner’s key made it, or it was changed; send it as POST /v1/responses/compact answered it, or the items themselves`,
      { param, taken: 'no', cause },
    );
  }
}

async function withBody(call: ChatCall, json: JsonObject): Promise<ChatCall> {
  if (json === call.body.json) return call;
  return { ...call, body: { json, bytes: await bytesOf(json, call.body.bytes.length) } };
}
