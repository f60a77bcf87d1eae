import { inOnePiece } from '@model-gateway/provider-kit';
import type { BlobStore } from '../types.ts';

export interface MemoryBlobs extends BlobStore {
  readonly files: Map<string, Buffer>;
}

/** A bucket in memory. Not part of the product. */
export function createMemoryBlobs(): MemoryBlobs {
  const files = new Map<string, Buffer>();
  return {
    files,
    locate: (name) => name,
    async put(name, _mime, body) {
      const chunks: Uint8Array[] = [];
      for await (const chunk of body) chunks.push(chunk);
      const bytes = Buffer.concat(chunks);
      files.set(name, bytes);
      return { location: name, size: bytes.length };
    },
    async open(location, { first, last }) {
      const bytes = files.get(location)?.subarray(first, last + 1) ?? Buffer.alloc(0);
      return inOnePiece(bytes);
    },
    async remove(location) {
      files.delete(location);
    },
  };
}
