import busboy from '@fastify/busboy';
import type { Exchange } from './exchange.ts';
import { Reader, type Complain } from './reader.ts';

export interface FormFile {
  readonly name: string;
  readonly filename: string;
  readonly type: string;
  readonly bytes: Buffer;
}

export interface Form {
  readonly fields: ReadonlyMap<string, readonly string[]>;
  readonly files: readonly FormFile[];
}

/** Whether the body is a form with files. */
export function isMultipart(exchange: Exchange): boolean {
  return (exchange.header('content-type') ?? '').startsWith('multipart/form-data');
}

/** Reads a multipart form; a torn one is the vendor's 400. */
export async function readForm(exchange: Exchange): Promise<Form> {
  const fields = new Map<string, string[]>();
  const files: FormFile[] = [];
  const type = exchange.header('content-type') ?? '';
  try {
    await new Promise<void>((resolve, reject) => {
      const parser = new busboy.Busboy({ headers: { 'content-type': type } });
      parser.on('field', (name, value) => {
        fields.set(name, [...(fields.get(name) ?? []), value]);
      });
      parser.on('file', (name, stream, filename, _encoding, mime) => {
        const chunks: Buffer[] = [];
        stream.on('data', (chunk: Buffer) => chunks.push(chunk));
        stream.on('error', reject);
        stream.on('end', () => files.push({ name, filename, type: mime, bytes: Buffer.concat(chunks) }));
      });
      parser.on('finish', resolve);
      parser.on('error', reject);
      parser.end(exchange.body);
    });
  } catch {
    throw exchange.refusal(400, { message: 'The multipart body is malformed or ends too early.' });
  }
  return { fields, files };
}

/** The fields as an object: a form has only text, so `numbers` are read as such. */
export function fieldReader({ fields }: Form, numbers: ReadonlySet<string>, complain: Complain): Reader {
  const values = Array.from(fields, ([name, [value = '']]): [string, string | number] => [
    name,
    numbers.has(name) && /^-?\d+(?:\.\d+)?$/.test(value) ? Number(value) : value,
  ]);
  return new Reader(Object.fromEntries(values), [], complain);
}
