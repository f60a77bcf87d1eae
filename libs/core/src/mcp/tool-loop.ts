/** One answer in several turns: the model is asked, its calls of tools are made, and it is asked again with what came of them. */
import { GatewayError, isJsonObject, type Json, type JsonObject, type Usage } from '@model-gateway/contracts';
import {
  addUsage,
  dialects,
  OWN_MCP_ID,
  type AssistantPart,
  type ChatDialect,
  type ChatReply,
  type ReplyContext,
  type ShownCall,
  type StopReason,
  type ToolCallPart,
  type ToolOutcome,
} from '@model-gateway/translate';
import { streamCode, type Sink, type StreamEnd } from '../kinds/chat/chat-stream.ts';
import type { Chat, ChatAnswer, ChatCall, ChatTrace } from '../kinds/chat/types.ts';
import { writeJsonInTurns } from '../kinds/chat/write-json.ts';
import { addFurther, newTrace } from '../paid/trace.ts';
import { requestOf } from '../kinds/chat/taken-request.ts';
import type { ChatTools, ChatToolsOptions } from './chat-tools.ts';
import { codeOfFault } from './protocol.ts';
import { AnswerWriter, TurnReader } from './turn-reader.ts';

const LARGE_BYTES = 1024 * 1024;
/** Calls of one turn that are made at the same time. */
const AT_ONCE = 4;
const KEEP_ALIVE_MS = 10_000;
/** What a turn ends with whose calls are whole. */
const CALLED: ReadonlySet<StopReason> = new Set(['tool-calls', 'stop']);

export interface ToolLoopOptions extends ChatToolsOptions {
  /** Answers one turn. */
  readonly chat: Chat;
  readonly tools: ChatTools;
}

/** What is done after a turn. */
interface AfterTurn {
  /** What the caller is shown of it. */
  readonly shown: readonly AssistantPart[];
  /** Of all calls of the turn, for the next one; undefined: the answer ends here. */
  readonly outcomes?: readonly ToolOutcome[];
  readonly stop: StopReason;
}

interface AskedTurn {
  readonly reply: ChatAnswer['reply'];
  /** Writes the turn down; the first one is the caller’s own request. */
  readonly done: (error?: unknown) => void;
}

export class ToolLoop {
  readonly #call: ChatCall;
  readonly #trace: ChatTrace;
  readonly #options: ToolLoopOptions;
  readonly #tools: ChatTools;
  readonly #dialect: ChatDialect;
  readonly #began: number;
  #json: JsonObject;
  #size: number;
  #turns = 0;
  #usage: Usage | undefined;

  constructor(call: ChatCall, trace: ChatTrace, options: ToolLoopOptions) {
    this.#call = call;
    this.#trace = trace;
    this.#options = options;
    this.#tools = options.tools;
    this.#dialect = dialects[call.dialect];
    trace.further ??= [];
    this.#began = options.parts.now();
    this.#json = call.body.json;
    this.#size = call.body.bytes.length;
  }

  async answer(): Promise<ChatAnswer> {
    const { form } = this.#tools;
    const { body, stream } = this.#call;
    const { parts, outcomes } = await this.#decided();
    const begun = [...this.#lists(), ...parts];
    this.#json = form.asked(body.json, this.#tools.offer(outcomes));
    const context = this.#context();
    return stream ? this.#answerStream(begun, context) : this.#answerWhole(begun, context);
  }

  /** The tools that the caller is shown, where the conversation does not list them. */
  #lists(): readonly AssistantPart[] {
    const { form, labels, offered } = this.#tools;
    const { list } = form.shown ?? {};
    if (list === undefined) return [];
    const listed = form.listed?.(this.#call.body.json);
    return [...labels]
      .filter((label) => listed?.has(label) !== true)
      .map((label) =>
        list(
          this.#newId(),
          label,
          offered.filter((tool) => tool.label === label),
        ),
      );
  }

  /** Makes the calls that the caller has approved. */
  async #decided(): Promise<{ parts: readonly AssistantPart[]; outcomes: ReadonlyMap<string, ToolOutcome> }> {
    const { form, offered } = this.#tools;
    const outcomes = new Map<string, ToolOutcome>();
    const parts: AssistantPart[] = [];
    for (const decision of form.decisions?.(this.#call.body.json) ?? []) {
      if (!decision.approved || outcomes.has(decision.requestId)) continue;
      const { requestId, label, tool, arguments: text } = decision;
      const asked = { callId: requestId, name: tool, arguments: text };
      const found = offered.find((each) => each.label === label && each.tool === tool);
      const outcome =
        found === undefined
          ? this.#tools.refused(asked, 'this request does not offer the tool')
          : await this.#tools.run(found, asked);
      outcomes.set(requestId, outcome);
      const shown = { id: this.#newId(), label, tool, arguments: text, outcome, approvedAs: requestId };
      parts.push(...(form.shown?.call(shown) ?? []));
    }
    return { parts, outcomes };
  }

  async #answerWhole(begun: readonly AssistantPart[], context: ReplyContext): Promise<ChatAnswer> {
    const parts = [...begun];
    let first: ChatReply | undefined;
    for (;;) {
      const { reply, done } = await this.#ask();
      done();
      if (reply.type === 'stream') throw new GatewayError('internal', 'a whole answer came as a stream');
      const json = parsed(reply.body);
      const read = this.#dialect.decodeReply(json);
      first ??= read;
      this.#usage = addUsage(this.#usage, read.usage);
      const [choice] = read.choices;
      const after = await this.#after(choice?.parts ?? [], choice?.stop ?? 'stop');
      parts.push(...this.#visible(choice?.parts ?? []), ...after.shown);
      if (after.outcomes === undefined) {
        const { usage: _usage, ...told } = { ...read, ...(first.id !== undefined && { id: first.id }) };
        const choices = [{ ...choice, parts, stop: after.stop }];
        const whole = { ...told, choices, ...(this.#usage !== undefined && { usage: this.#usage }) };
        const body = JSON.stringify(this.#dialect.encodeReply(whole, context));
        return { trace: this.#trace, reply: { type: 'whole', body } };
      }
      this.#goOn(json, after.outcomes);
    }
  }

  async #answerStream(begun: readonly AssistantPart[], context: ReplyContext): Promise<ChatAnswer> {
    const encoder = this.#dialect.streamEncoder(context);
    // Refused before anything was said: the caller is told by a status.
    const turn = await this.#ask();
    const pipe = (sink: Sink): Promise<StreamEnd> => this.#pipe(turn, new AnswerWriter(encoder, sink, begun), context);
    return { trace: this.#trace, reply: { type: 'stream', pipe } };
  }

  async #pipe(first: AskedTurn, writer: AnswerWriter, context: ReplyContext): Promise<StreamEnd> {
    let end: StreamEnd | undefined;
    try {
      for (let turn = first; ; turn = await this.#ask()) {
        const reader = new TurnReader(this.#dialect, writer, (name) => this.#tools.named(name) !== undefined);
        end = await this.#piped(turn, reader);
        this.#usage = addUsage(this.#usage, reader.usage ?? end.usage);
        if (end.abandoned || !reader.isWhole) return this.#ended(end);
        const after = await writer.keptAlive(this.#after(reader.parts(), reader.stop), KEEP_ALIVE_MS);
        await writer.show(after.shown);
        if (after.outcomes === undefined) {
          writer.finish(after.stop, reader.finish, this.#usage);
          return this.#ended(end);
        }
        this.#goOn(this.#replyOf(reader, context), after.outcomes);
      }
    } catch (error) {
      if (end === undefined) throw error;
      const fault =
        error instanceof GatewayError ? error : new GatewayError('internal', 'an answer broke off', { cause: error });
      writer.say({ type: 'error', error: { code: streamCode(fault), message: fault.message } });
      const isGone = this.#call.caller.signal.aborted;
      return { ...this.#ended(end), finished: false, failed: true, error: fault, abandoned: isGone };
    }
  }

  async #piped({ reply, done }: AskedTurn, reader: TurnReader): Promise<StreamEnd> {
    if (reply.type === 'whole') throw new GatewayError('internal', 'a stream was answered whole');
    try {
      const end = await reply.pipe(reader);
      reader.end();
      done(end.error);
      return end;
    } catch (error) {
      done(error);
      throw error;
    }
  }

  #ended(end: StreamEnd): StreamEnd {
    return { ...end, usage: this.#usage };
  }

  /** A turn that was read from a stream, as a whole answer. */
  #replyOf(reader: TurnReader, context: ReplyContext): JsonObject {
    // The items of a conversation have ids of their own.
    const own = { ...context, id: this.#options.parts.randomId() };
    return this.#dialect.encodeReply({ choices: [{ parts: reader.parts(), stop: 'tool-calls' }] }, own);
  }

  #goOn(answer: JsonObject, outcomes: readonly ToolOutcome[]): void {
    this.#json = this.#tools.form.continued(this.#json, answer, outcomes);
    this.#size += outcomes.reduce((sum, { text }) => sum + text.length, 4096);
  }

  async #ask(): Promise<AskedTurn> {
    const { chat, parts, newRequestId } = this.#options;
    const isFirst = ++this.#turns === 1;
    const json = this.#json;
    const bytes =
      this.#size > LARGE_BYTES ? await writeJsonInTurns(json, this.#size) : Buffer.from(JSON.stringify(json));
    const body = { json, bytes };
    if (isFirst) {
      const { reply } = await chat.answer({ ...this.#call, body }, this.#trace);
      return { reply, done: () => undefined };
    }
    this.#checkThere();
    const id = newRequestId();
    const at = parts.now();
    const trace = newTrace();
    const done = (error?: unknown): void => {
      const code = error === undefined ? undefined : codeOfFault(error);
      addFurther(this.#trace, {
        ...{ id, at, ms: parts.now() - at, kind: 'chat', model: this.#call.model, trace },
        ...(code !== undefined && { error: code }),
      });
    };
    try {
      const caller = { ...this.#call.caller, requestId: id };
      const { reply } = await chat.answer({ ...this.#call, caller, body }, trace);
      // Of a later turn, too: it is the end of the whole answer.
      this.#trace.saidRefusal = trace.saidRefusal;
      return { reply, done };
    } catch (error) {
      done(error);
      throw error;
    }
  }

  /** Nobody waits for what a caller who has hung up would have been told. */
  #checkThere(): void {
    if (this.#call.caller.signal.aborted) throw new GatewayError('internal', 'the caller has hung up');
  }

  async #after(parts: readonly AssistantPart[], stop: StopReason): Promise<AfterTurn> {
    const { form } = this.#tools;
    const calls = parts.filter((part) => part.type === 'tool-call');
    const own = calls.filter(({ name }) => this.#tools.named(name) === undefined);
    const asked = calls.filter(({ name }) => this.#tools.named(name) !== undefined);
    if (asked.length === 0 || !CALLED.has(stop)) return { shown: [], stop };
    // Where the caller is shown nothing of them he could not send their results back beside his own: the model asks again.
    if (form.shown === undefined && own.length > 0) return { shown: [], stop };
    const why = this.#whyNoMore();
    const answered = await inTurns(asked, AT_ONCE, (part) => this.#answered(part, why));
    const shown = answered.flatMap(({ shown: each }) => each);
    if (own.length > 0) return { shown, stop: 'tool-calls' };
    if (why !== undefined) return { shown, stop: 'paused' };
    const outcomes = answered.flatMap(({ outcome }) => outcome ?? []);
    return outcomes.length < answered.length ? { shown, stop: 'stop' } : { shown, outcomes, stop };
  }

  #whyNoMore(): string | undefined {
    const { bounds, parts } = this.#options;
    if (this.#turns >= bounds.turns) return `the limit of ${bounds.turns} turns for one answer is reached`;
    if (parts.now() - this.#began < bounds.ms) return undefined;
    return `the limit of ${bounds.ms / 1000} seconds for one answer is reached`;
  }

  /** Without an outcome the caller has to approve it first. */
  async #answered(
    part: ToolCallPart,
    why: string | undefined,
  ): Promise<{ readonly shown: readonly AssistantPart[]; readonly outcome?: ToolOutcome }> {
    const tool = this.#tools.named(part.name);
    if (tool === undefined) throw new Error(`no tool is called ${part.name}`);
    const { form } = this.#tools;
    const asked = { callId: part.id, name: part.name, arguments: part.arguments };
    const of = { label: tool.label, tool: tool.tool, arguments: part.arguments };
    if (why === undefined && tool.needsApproval && form.shown?.approval !== undefined)
      return { shown: [form.shown.approval(this.#newId(), of)] };
    this.#checkThere();
    const outcome = why === undefined ? await this.#tools.run(tool, asked) : this.#tools.refused(asked, why);
    const shown: ShownCall = { ...of, id: this.#newId(), outcome };
    return { shown: form.shown?.call(shown) ?? [], outcome };
  }

  #visible(parts: readonly AssistantPart[]): readonly AssistantPart[] {
    return parts.filter((part) => part.type !== 'tool-call' || this.#tools.named(part.name) === undefined);
  }

  /** Made before anybody is asked, and once: a body that is forwarded as it came may be such as no decoder reads. */
  #context(): ReplyContext {
    const { body, model, stream, caller } = this.#call;
    const { parts } = this.#options;
    return {
      model,
      request: requestOf(this.#dialect, this.#json, { model, stream }),
      body: body.json,
      id: parts.randomId(),
      now: Math.floor(parts.now() / 1000),
      requestId: caller.requestId,
    };
  }

  #newId(): string {
    return OWN_MCP_ID + this.#options.parts.randomId();
  }
}

/** What `work` makes of each, so many at a time, in their order. */
async function inTurns<T, R>(all: readonly T[], atOnce: number, work: (each: T) => Promise<R>): Promise<R[]> {
  const results: R[] = [];
  for (let at = 0; at < all.length; at += atOnce)
    results.push(...(await Promise.all(all.slice(at, at + atOnce).map(work))));
  return results;
}

function parsed(body: Uint8Array | string): JsonObject {
  const text = typeof body === 'string' ? body : Buffer.from(body.buffer, body.byteOffset, body.byteLength).toString();
  const json = JSON.parse(text) as Json;
  if (isJsonObject(json)) return json;
  throw new GatewayError('upstream_malformed', 'the model’s answer is not a JSON object');
}
