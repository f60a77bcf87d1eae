/** Where the client is running, asked without importing anything that a browser or a worker lacks; and small helps. */

/** A variable of the environment where there is one; undefined when unset or empty. */
export function variable(name: string): string | undefined {
  const { process } = globalThis as { process?: { env?: Record<string, string | undefined> } };
  const value = process?.env?.[name];
  return value === '' ? undefined : value;
}

interface NodeFiles {
  readFile(path: string): Promise<Uint8Array<ArrayBuffer>>;
  open(path: string, flags: 'w'): Promise<{ writeFile(data: Uint8Array): Promise<void>; close(): Promise<void> }>;
}

/** Node's files, loaded when they are first needed; bundlers leave the name alone. Rejects where there is no Node. */
export function nodeFiles(): Promise<NodeFiles> {
  const name = 'node:fs/promises';
  return import(/* webpackIgnore: true */ /* @vite-ignore */ name) as Promise<NodeFiles>;
}

/** What a Blob is made of. */
export type Part = NonNullable<ConstructorParameters<typeof Blob>[0]>[number];

/** What is neither null nor undefined. */
export function present<T>(values: Readonly<Record<string, T>>): Record<string, NonNullable<T>> {
  return Object.fromEntries(
    Object.entries(values).filter((entry): entry is [string, NonNullable<T>] => (entry[1] ?? null) !== null),
  );
}

/** Bytes out of base64, in every runtime. Several pieces, each with its own padding, are joined. */
export function bytesOf(...base64: readonly string[]): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(base64.map(atob).join(''), (character) => character.charCodeAt(0));
}
