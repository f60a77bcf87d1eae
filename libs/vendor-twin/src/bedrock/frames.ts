import { crc32 } from 'node:zlib';

const STRING = 7;

/** One message of AWS's event stream: lengths, their sum, headers, payload, the sum of all (docs/wire/bedrock.md#streams). */
export function frameOf(headers: Readonly<Record<string, string>>, payload: unknown): Buffer {
  const head = Buffer.concat(Object.entries(headers).map(([name, value]) => headerOf(name, value)));
  const body = Buffer.from(JSON.stringify(payload));
  const prelude = Buffer.alloc(8);
  prelude.writeUInt32BE(16 + head.length + body.length, 0);
  prelude.writeUInt32BE(head.length, 4);
  const message = Buffer.concat([prelude, sumOf(prelude), head, body]);
  return Buffer.concat([message, sumOf(message)]);
}

/** An event of an answer. */
export function eventFrame(name: string, payload: unknown): Buffer {
  return frameOf({ ':event-type': name, ':content-type': 'application/json', ':message-type': 'event' }, payload);
}

/** What ends an answer early. */
export function exceptionFrame(name: string, message: string): Buffer {
  const headers = { ':exception-type': name, ':content-type': 'application/json', ':message-type': 'exception' };
  return frameOf(headers, { message });
}

function headerOf(name: string, value: string): Buffer {
  const [key, text] = [Buffer.from(name), Buffer.from(value)];
  const size = Buffer.alloc(2);
  size.writeUInt16BE(text.length);
  return Buffer.concat([Buffer.from([key.length]), key, Buffer.from([STRING]), size, text]);
}

function sumOf(bytes: Buffer): Buffer {
  const sum = Buffer.alloc(4);
  sum.writeUInt32BE(crc32(bytes));
  return sum;
}
