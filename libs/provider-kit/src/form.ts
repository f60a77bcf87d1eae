import { randomUUID } from 'node:crypto';
import type { FormPart } from './adapter.ts';

/** A multipart/form-data body as a stream of known length: files are read while they are sent, never held. */
export function encodeForm(parts: readonly FormPart[]): {
  readonly headers: Record<string, string>;
  readonly stream: () => AsyncIterable<Uint8Array>;
} {
  const boundary = `form-${randomUUID()}`;
  const heads = parts.map((part) => Buffer.from(`--${boundary}\r\n${headOf(part)}\r\n\r\n`));
  const end = Buffer.from(`--${boundary}--\r\n`);
  const length = parts.reduce(
    (sum, part, index) => sum + (heads[index]?.byteLength ?? 0) + sizeOf(part) + 2,
    end.byteLength,
  );
  return {
    headers: { 'content-type': `multipart/form-data; boundary=${boundary}`, 'content-length': String(length) },
    stream: async function* () {
      for (const [index, part] of parts.entries()) {
        yield heads[index] ?? Buffer.alloc(0);
        if ('value' in part) yield Buffer.from(part.value);
        else yield* part.open();
        yield Buffer.from('\r\n');
      }
      yield end;
    },
  };
}

/** Bytes that are in memory, as what is read piece by piece. */
export async function* inOnePiece(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes;
}

function sizeOf(part: FormPart): number {
  return 'value' in part ? Buffer.byteLength(part.value) : part.size;
}

function headOf(part: FormPart): string {
  const name = quoted(part.name);
  if ('value' in part) return `content-disposition: form-data; name=${name}`;
  return `content-disposition: form-data; name=${name}; filename=${quoted(part.filename)}\r\ncontent-type: ${part.contentType.replace(/[\r\n]+/g, ' ')}`;
}

function quoted(text: string): string {
  return `"${text.replace(/[\r\n"]/g, (character) => encodeURIComponent(character))}"`;
}
