/** An OTLP collector for a test: takes protobuf over HTTP, as real ones do, and says what arrived. */
import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';

export type AttributeValue = string | number | boolean | readonly AttributeValue[] | Readonly<Attributes> | null;
export interface Attributes {
  [name: string]: AttributeValue;
}

export interface ReceivedSpan {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId: string;
  readonly name: string;
  /** 2 server, 3 client */
  readonly kind: number;
  readonly attributes: Attributes;
  /** 2 is an error. */
  readonly status: number;
  readonly startNs: bigint;
  readonly endNs: bigint;
}
export interface ReceivedLog {
  readonly severity: string;
  readonly body: AttributeValue;
  readonly attributes: Attributes;
  readonly traceId: string;
  readonly spanId: string;
}
export interface ReceivedMetric {
  readonly name: string;
  readonly unit: string;
  readonly kind: 'gauge' | 'sum' | 'histogram';
  readonly points: number;
}

export interface OtlpReceiver {
  /** For `OTEL_EXPORTER_OTLP_ENDPOINT`. */
  readonly url: string;
  readonly spans: readonly ReceivedSpan[];
  readonly logs: readonly ReceivedLog[];
  readonly metrics: readonly ReceivedMetric[];
  /** Attributes of the last resource. */
  readonly resource: Attributes;
  /** Headers of the last request. */
  readonly headers: IncomingMessage['headers'];
  readonly requests: number;
  /** Resolves as soon as `isThere` holds; looked at whenever something arrives. */
  until(isThere: (receiver: OtlpReceiver) => boolean): Promise<void>;
  close(): Promise<void>;
}

/** Starts a collector on a free port. `status`: what it answers, or `hang` for never. */
export async function startOtlpReceiver(status: number | 'hang' = 200): Promise<OtlpReceiver> {
  const spans: ReceivedSpan[] = [];
  const logs: ReceivedLog[] = [];
  const metrics: ReceivedMetric[] = [];
  let resource: Attributes = {};
  let headers: IncomingMessage['headers'] = {};
  let requests = 0;
  let waiting: (() => void)[] = [];
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      requests++;
      headers = request.headers;
      for (const group of messages(Buffer.concat(chunks), 1)) {
        resource = attributesOf(messages(group, 1)[0] ?? EMPTY, 1);
        for (const scope of messages(group, 2)) {
          const items = messages(scope, 2);
          if (request.url?.endsWith('/traces') === true) spans.push(...items.map(spanOf));
          else if (request.url?.endsWith('/logs') === true) logs.push(...items.map(logOf));
          else metrics.push(...items.map(metricOf));
        }
      }
      if (status !== 'hang') response.writeHead(status, { 'content-type': 'application/x-protobuf' }).end();
      const woken = waiting;
      waiting = [];
      for (const wake of woken) wake();
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const receiver: OtlpReceiver = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    spans,
    logs,
    metrics,
    get resource() {
      return resource;
    },
    get headers() {
      return headers;
    },
    get requests() {
      return requests;
    },
    async until(isThere) {
      while (!isThere(receiver)) await new Promise<void>((resolve) => waiting.push(resolve));
    },
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
  return receiver;
}

const EMPTY = Buffer.alloc(0);

function spanOf(bytes: Buffer): ReceivedSpan {
  const fields = decode(bytes);
  const status = decode(bytesOf(fields, 15));
  return {
    traceId: bytesOf(fields, 1).toString('hex'),
    spanId: bytesOf(fields, 2).toString('hex'),
    parentSpanId: bytesOf(fields, 4).toString('hex'),
    name: bytesOf(fields, 5).toString(),
    kind: Number(fields.get(6)?.[0] ?? 0),
    startNs: (fields.get(7)?.[0] as bigint | undefined) ?? 0n,
    endNs: (fields.get(8)?.[0] as bigint | undefined) ?? 0n,
    attributes: attributesOf(bytes, 9),
    status: Number(status.get(3)?.[0] ?? 0),
  };
}

function logOf(bytes: Buffer): ReceivedLog {
  const fields = decode(bytes);
  return {
    severity: bytesOf(fields, 3).toString(),
    body: valueOf(bytesOf(fields, 5)),
    attributes: attributesOf(bytes, 6),
    traceId: bytesOf(fields, 9).toString('hex'),
    spanId: bytesOf(fields, 10).toString('hex'),
  };
}

function metricOf(bytes: Buffer): ReceivedMetric {
  const fields = decode(bytes);
  const kind = fields.has(5) ? 'gauge' : fields.has(7) ? 'sum' : 'histogram';
  const data = bytesOf(fields, { gauge: 5, sum: 7, histogram: 9 }[kind]);
  return {
    name: bytesOf(fields, 1).toString(),
    unit: bytesOf(fields, 3).toString(),
    kind,
    points: messages(data, 1).length,
  };
}

function attributesOf(bytes: Buffer, field: number): Attributes {
  return Object.fromEntries(
    messages(bytes, field).map((pair) => {
      const fields = decode(pair);
      return [bytesOf(fields, 1).toString(), valueOf(bytesOf(fields, 2))];
    }),
  );
}

/** AnyValue */
function valueOf(bytes: Buffer): AttributeValue {
  const fields = decode(bytes);
  const [field, values] = [...fields][0] ?? [];
  const value = values?.[0];
  switch (field) {
    case 1:
      return (value as Buffer).toString();
    case 2:
      return value === 1n;
    case 3:
      return Number(BigInt.asIntN(64, value as bigint));
    case 4: {
      const double = Buffer.alloc(8);
      double.writeBigUInt64LE(value as bigint);
      return double.readDoubleLE();
    }
    case 5:
      return messages(value as Buffer, 1).map(valueOf);
    case 6:
      return attributesOf(value as Buffer, 1);
    default:
      return null;
  }
}

type Fields = ReadonlyMap<number, readonly (bigint | Buffer)[]>;

function bytesOf(fields: Fields, field: number): Buffer {
  const value = fields.get(field)?.[0];
  return Buffer.isBuffer(value) ? value : EMPTY;
}

function messages(bytes: Buffer, field: number): readonly Buffer[] {
  return (decode(bytes).get(field) ?? []).filter((value) => Buffer.isBuffer(value));
}

/** Protobuf's wire format: numbers and bytes by field. */
function decode(bytes: Buffer): Fields {
  const fields = new Map<number, (bigint | Buffer)[]>();
  let at = 0;
  const varint = (): bigint => {
    let value = 0n;
    for (let shift = 0n; ; shift += 7n) {
      const byte = bytes[at++] ?? 0;
      value |= BigInt(byte & 127) << shift;
      if (byte < 128) return value;
    }
  };
  while (at < bytes.length) {
    const tag = Number(varint());
    let value: bigint | Buffer;
    switch (tag & 7) {
      case 0:
        value = varint();
        break;
      case 1:
        value = bytes.readBigUInt64LE(at);
        at += 8;
        break;
      case 2: {
        const length = Number(varint());
        value = bytes.subarray(at, at + length);
        at += length;
        break;
      }
      default:
        value = BigInt(bytes.readUInt32LE(at));
        at += 4;
    }
    const field = tag >> 3;
    fields.set(field, [...(fields.get(field) ?? []), value]);
  }
  return fields;
}
