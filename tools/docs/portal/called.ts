/** What one sample calls with, and what all languages need to say it. */
import type { Operation } from './document.ts';
import { jsLiteral } from './literal.ts';

export const BASE_URL = 'http://127.0.0.1:8080';
export const TEST_KEY = 'sk-test-…';
export const ADMIN_KEY = 'admin-…';

/** What one sample calls with; places of other answers are filled with the document's examples. */
export interface Called {
  readonly operation: Operation;
  readonly path: Readonly<Record<string, string>>;
  readonly query: Readonly<Record<string, string>>;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Readonly<Record<string, unknown>> | undefined;
  readonly form: boolean;
}

/** A file of a form, in the document's examples. */
export function isFile(value: unknown): boolean {
  return typeof value === 'string' && value.startsWith('data:');
}

/** What the samples call it. */
export function fileName(field: string): string {
  return field === 'mask' ? 'mask.png' : 'picture.png';
}

/** Query parameters as an argument; empty when there are none. */
export function queryLiteral(query: Readonly<Record<string, string>>): string {
  const typed = Object.fromEntries(
    Object.entries(query).map(([name, value]) => [name, /^\d+$/.test(value) ? Number(value) : value]),
  );
  return Object.keys(typed).length === 0 ? '' : jsLiteral(typed);
}
