/** What an answer cost, told with it: in a header of whole answers, and where its caller asks for it in the last usage of a stream. */
import { StringDecoder } from 'node:string_decoder';
import type { Request, Response } from 'express';
import { GatewayError, isJsonObject, type JsonObject } from '@model-gateway/contracts';
import { dollarsOf, wholeOf, type ChatTrace, type Sink } from '@model-gateway/core';

const COST = 'x-gateway-cost';
const INCLUDE_COST = 'x-gateway-include-cost';
/** Quota units are two millionths of a dollar. */
const DIGITS = 6;

/** Writes what was charged, once it is known; the ledger says the same. */
export function writeCost(response: Response, trace: ChatTrace): void {
  if (trace.usage !== undefined)
    response.setHeader(
      COST,
      costOf(trace)
        .toFixed(DIGITS)
        .replace(/\.?0+$/, ''),
    );
}

function costOf(trace: ChatTrace): number {
  return dollarsOf(trace.further === undefined ? trace.charged : wholeOf(trace).charged);
}

/** Whether the caller wants the cost in the last usage of a stream. Throws `invalid_request` for another word. */
export function includesCost({ headers }: Pick<Request, 'headers'>): boolean {
  const word = headers[INCLUDE_COST];
  if (word === undefined || word === 'false') return false;
  if (word === 'true') return true;
  throw new GatewayError(
    'invalid_request',
    `${INCLUDE_COST} is '${String(word).slice(0, 40)}'; it must be true or false`,
    {
      param: INCLUDE_COST,
    },
  );
}

/** The sink with the cost in it; `end` when the answer has been paid for. */
export interface CostedSink extends Sink {
  end(): void;
}

/** A sink whose last usage says what the stream cost. */
export function costSink(sink: Sink, trace: ChatTrace): CostedSink {
  const cost = new StreamCost();
  return {
    write(chunk) {
      const text = cost.push(chunk);
      return text === '' || sink.write(text);
    },
    drained: () => sink.drained(),
    end() {
      const text = cost.end(trace);
      if (text !== '') sink.write(text);
    },
  };
}

/** Events whose last usage says what they cost: they have been paid for when their source is through. */
export async function* withCost(
  events: AsyncIterable<string>,
  trace: ChatTrace,
): AsyncGenerator<string, void, undefined> {
  const cost = new StreamCost();
  for await (const event of events) {
    const text = cost.push(event);
    if (text !== '') yield text;
  }
  yield cost.end(trace);
}

const EVENT_END = /\r\n\r\n|\n\n|\r\r/g;
const LONGEST_END = 4;
/** What follows the last usage: a chunk without content, `message_stop`, `[DONE]`. */
const MOST_BEHIND_USAGE = 3;

/** Holds back the last event with usage, and the few behind it, until the answer has been paid for. */
class StreamCost {
  private readonly decoder = new StringDecoder('utf8');
  private begun = '';
  private held: string[] = [];

  /** What may leave now. */
  push(chunk: Uint8Array | string): string {
    // What was looked through before has no end but one that began there.
    EVENT_END.lastIndex = Math.max(0, this.begun.length - LONGEST_END + 1);
    this.begun += typeof chunk === 'string' ? chunk : this.decoder.write(Buffer.from(chunk));
    let text = '';
    let from = 0;
    while (EVENT_END.test(this.begun)) {
      text += this.pass(this.begun.slice(from, EVENT_END.lastIndex));
      from = EVENT_END.lastIndex;
    }
    this.begun = this.begun.slice(from);
    return text;
  }

  /** What was held back, with the cost. */
  end(trace: ChatTrace): string {
    const [last = '', ...behind] = this.held;
    this.held = [];
    const text = last === '' || trace.usage === undefined ? last : withCostIn(last, costOf(trace));
    return text + behind.join('') + this.begun;
  }

  private pass(event: string): string {
    if (usageAt(dataOf(event)) !== undefined) return this.release(event);
    if (this.held.length === 0) return event;
    return this.held.length > MOST_BEHIND_USAGE ? this.release() + event : this.hold(event);
  }

  private hold(event: string): string {
    this.held.push(event);
    return '';
  }

  private release(...next: readonly string[]): string {
    const text = this.held.join('');
    this.held = [...next];
    return text;
  }
}

const DATA_LINE = /^data: ?(\{.*\})[ \t]*\r?$/m;
const USAGE_NAME = /"usage(?:Metadata)?"/;

function dataOf(event: string): JsonObject | undefined {
  if (!USAGE_NAME.test(event)) return undefined;
  try {
    const data: unknown = JSON.parse(DATA_LINE.exec(event)?.[1] ?? '');
    return isJsonObject(data) ? data : undefined;
  } catch {
    return undefined;
  }
}

/** The usage of the whole answer; what a message begins with (`message.usage`) is none. */
function usageAt(data: JsonObject | undefined): JsonObject | undefined {
  if (data === undefined) return undefined;
  const { usage, usageMetadata, response } = data;
  const found = usage ?? usageMetadata ?? (isJsonObject(response) ? response['usage'] : undefined);
  return isJsonObject(found) ? found : undefined;
}

function withCostIn(event: string, cost: number): string {
  const data = dataOf(event);
  const usage = usageAt(data);
  if (data === undefined || usage === undefined) return event;
  usage['cost'] = cost;
  return event.replace(DATA_LINE, () => `data: ${JSON.stringify(data)}`);
}
