/** Where the client is running, asked without importing anything that a browser or a worker lacks. */

/** A variable of the environment where there is one; undefined when unset or empty. */
export function variable(name: string): string | undefined {
  const { process } = globalThis as { process?: { env?: Record<string, string | undefined> } };
  const value = process?.env?.[name];
  return value === '' ? undefined : value;
}
