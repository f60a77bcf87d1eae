import type { Exchange } from '../core/exchange.ts';
import type { Markers } from '../core/markers.ts';
import { seal } from '../core/auth.ts';
import type { Route } from '../core/vendor.ts';
import { answerTo, jsonPieces, pieces } from '../chat/answers.ts';
import { cachedTokens, inputTokens, lastWords, type Answer } from '../chat/talk.ts';
import { readConverse, REASONING_SEAL, type ConverseOrder } from './converse-request.ts';
import { complainAsAws } from './errors.ts';
import { eventFrame, exceptionFrame } from './frames.ts';

const STOP = {
  stop: 'end_turn',
  'stop-sequence': 'stop_sequence',
  length: 'max_tokens',
  tools: 'tool_use',
  refusal: 'content_filtered',
} as const;

type Block = Readonly<Record<string, unknown>>;

export const converseRoutes: readonly Route[] = [
  {
    method: 'POST',
    path: /^\/model\/(?<model>[^/]+)\/converse$/,
    operation: 'chat',
    handle: async (exchange) => (await prepare(exchange)).whole(),
  },
  {
    method: 'POST',
    path: /^\/model\/(?<model>[^/]+)\/converse-stream$/,
    operation: 'chat',
    handle: async (exchange) => (await prepare(exchange)).stream(),
  },
];

/** The number of input tokens of a Converse request. */
export function countConverse(exchange: Exchange, body: Parameters<typeof readConverse>[0]): number {
  return inputTokens(readConverse(body, exchange.params['model'] ?? '').talk);
}

async function prepare(exchange: Exchange): Promise<ConverseReply> {
  const order = readConverse(exchange.json(complainAsAws), exchange.params['model'] ?? '');
  const markers = await exchange.obey(lastWords(order.talk));
  return new ConverseReply(exchange, order, answerTo(order.talk, markers), markers);
}

/** One answer on its way out: whole, or as frames. */
class ConverseReply {
  readonly #exchange: Exchange;
  readonly #order: ConverseOrder;
  readonly #answer: Answer;
  readonly #blocks: readonly Block[];
  readonly #cached: number;
  readonly #stop: string;

  constructor(exchange: Exchange, order: ConverseOrder, answer: Answer, markers: Markers) {
    this.#exchange = exchange;
    this.#order = order;
    this.#answer = answer;
    this.#blocks = this.#contentOf(markers);
    this.#cached = order.caches ? cachedTokens(exchange.stage, order.talk, answer.tokens.input, markers) : 0;
    this.#stop =
      order.guarded && exchange.fate(markers) === 'moderation' ? 'guardrail_intervened' : STOP[answer.finish];
  }

  whole(): void {
    this.#record(false, 1, false);
    const message = { role: 'assistant', content: this.#blocks };
    const body = { output: { message }, stopReason: this.#stop, usage: this.#usage(), metrics: { latencyMs: 3 } };
    this.#exchange.reply(200, body, this.#headers());
  }

  async stream(): Promise<void> {
    const headers = { ...this.#headers(), 'content-type': 'application/vnd.amazon.eventstream' };
    const failure = exceptionFrame('serviceUnavailableException', 'The model is unable to process your request.');
    this.#exchange.reframe({ headers: {}, frame: () => failure });
    const events = this.#exchange.events(headers, 'failure');
    await events.send(eventFrame('messageStart', { role: 'assistant', p: 'abc' }));
    for (const [contentBlockIndex, block] of this.#blocks.entries()) {
      for (const [name, payload] of blockEvents(block)) {
        if (!(await events.send(eventFrame(name, { ...payload, contentBlockIndex, p: 'abcdef' }))))
          return this.#record(true, contentBlockIndex / this.#blocks.length, true);
      }
    }
    await events.send(eventFrame('messageStop', { stopReason: this.#stop, p: 'a' }));
    this.#record(true, 1, !events.open);
    await events.send(eventFrame('metadata', { usage: this.#usage(), metrics: { latencyMs: 3 }, p: 'ab' }));
    events.end();
  }

  #contentOf(markers: Markers): Block[] {
    const { thinking, text, calls } = this.#answer;
    const blocks: Block[] = [];
    if (thinking !== '') {
      const reasoningText = { text: thinking, signature: seal(REASONING_SEAL, thinking) };
      blocks.push({ reasoningContent: { reasoningText } });
    }
    if (markers.words.has('redacted'))
      blocks.push({ reasoningContent: { redactedContent: Buffer.from('hidden').toString('base64') } });
    if (text !== '') blocks.push({ text });
    for (const { name, input } of calls)
      blocks.push({ toolUse: { toolUseId: this.#exchange.stage.newId('tooluse_'), name, input } });
    return blocks;
  }

  #headers(): Record<string, string> {
    return { 'x-amzn-requestid': this.#exchange.stage.newId('') };
  }

  /** Input tokens are those that were read from no cache. */
  #usage(): Record<string, unknown> {
    const { input, output } = this.#answer.tokens;
    return {
      inputTokens: input - this.#cached,
      outputTokens: output,
      totalTokens: input + output,
      ...(this.#order.caches && { cacheReadInputTokens: this.#cached, cacheWriteInputTokens: 0 }),
    };
  }

  #record(stream: boolean, share: number, aborted: boolean): void {
    const { input, output, reasoning } = this.#answer.tokens;
    this.#exchange.record({
      kind: 'chat',
      model: this.#order.talk.model,
      stream,
      aborted,
      billed: {
        inputTokens: input,
        cachedInputTokens: this.#cached,
        outputTokens: Math.ceil(output * share),
        reasoningTokens: reasoning,
      },
    });
  }
}

/** Only calls are announced: other blocks begin with their first piece. */
function* blockEvents(block: Block): Generator<readonly [name: string, payload: Block]> {
  const delta = (piece: Block): readonly [string, Block] => ['contentBlockDelta', { delta: piece }];
  const { text, toolUse, reasoningContent } = block as {
    readonly text?: string;
    readonly toolUse?: { readonly toolUseId: string; readonly name: string; readonly input: unknown };
    readonly reasoningContent?: {
      readonly reasoningText?: { readonly text: string; readonly signature: string };
      readonly redactedContent?: string;
    };
  };
  for (const piece of text === undefined ? [] : pieces(text)) yield delta({ text: piece });
  if (toolUse !== undefined) {
    const { toolUseId, name, input } = toolUse;
    yield ['contentBlockStart', { start: { toolUse: { toolUseId, name } } }];
    for (const piece of jsonPieces(JSON.stringify(input))) yield delta({ toolUse: { input: piece } });
  }
  if (reasoningContent?.redactedContent !== undefined) yield delta({ reasoningContent });
  if (reasoningContent?.reasoningText !== undefined) {
    for (const piece of pieces(reasoningContent.reasoningText.text)) yield delta({ reasoningContent: { text: piece } });
    yield delta({ reasoningContent: { signature: reasoningContent.reasoningText.signature } });
  }
  yield ['contentBlockStop', {}];
}
