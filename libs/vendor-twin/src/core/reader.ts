import { isJsonObject, type JsonObject } from '@model-gateway/contracts';
import type { Refusal } from './refusal.ts';

export type Path = readonly (string | number)[];

/** What is wrong with a request, before a vendor puts it into its own words. */
export interface Problem {
  readonly kind: 'missing' | 'type' | 'value' | 'unknown';
  readonly path: Path;
  /** A sentence: what would be right. */
  readonly want: string;
}
export type Complain = (problem: Problem) => Refusal;

/** `messages[0].content`, the way most vendors write a place. */
export function bracketed(path: Path): string {
  return path
    .map((step, index) => (typeof step === 'number' ? `[${step}]` : `${index > 0 ? '.' : ''}${step}`))
    .join('');
}

/** `messages.0.content` */
export function dotted(path: Path): string {
  return path.join('.');
}

/** Reads one object of a request strictly: the first thing wrong is refused. Null counts as absent, as all vendors have it. */
export class Reader {
  readonly value: JsonObject;
  readonly path: Path;
  readonly #complain: Complain;

  constructor(value: unknown, path: Path, complain: Complain) {
    this.path = path;
    this.#complain = complain;
    if (!isJsonObject(value)) {
      throw complain({ kind: value === undefined ? 'missing' : 'type', path, want: 'an object' });
    }
    this.value = value;
  }

  fail(name: string | number | undefined, want: string, kind: Problem['kind'] = 'value'): never {
    throw this.#complain({ kind, path: name === undefined ? this.path : [...this.path, name], want });
  }

  has(name: string): boolean {
    return this.value[name] !== undefined && this.value[name] !== null;
  }

  /** The object's own fields must be among these. */
  only(names: ReadonlySet<string>): void {
    for (const name of Object.keys(this.value)) {
      // `x_…` is left to tests that need to see an unknown field go through.
      if (!names.has(name) && !name.startsWith('x_')) this.fail(name, 'no such field', 'unknown');
    }
  }

  optionalString(name: string, most = Number.POSITIVE_INFINITY): string | undefined {
    if (!this.has(name)) return undefined;
    const value = this.value[name];
    if (typeof value !== 'string') this.fail(name, 'a string', 'type');
    if (value.length > most) this.fail(name, `at most ${most} characters`);
    return value;
  }

  /** Required and not empty. */
  string(name: string, most?: number): string {
    const value = this.optionalString(name, most);
    if (value === undefined) this.fail(name, 'a string', 'missing');
    if (value === '') this.fail(name, 'a string that is not empty');
    return value;
  }

  optionalNumber(name: string, least = Number.NEGATIVE_INFINITY, most = Number.POSITIVE_INFINITY): number | undefined {
    if (!this.has(name)) return undefined;
    const value = this.value[name];
    if (typeof value !== 'number') this.fail(name, 'a number', 'type');
    if (value < least || value > most)
      this.fail(name, most === Infinity ? `${least} or more` : `between ${least} and ${most}`);
    return value;
  }

  optionalInteger(name: string, least?: number, most?: number): number | undefined {
    const value = this.optionalNumber(name, least, most);
    if (value !== undefined && !Number.isInteger(value)) this.fail(name, 'an integer', 'type');
    return value;
  }

  integer(name: string, least?: number, most?: number): number {
    return this.optionalInteger(name, least, most) ?? this.fail(name, 'an integer', 'missing');
  }

  optionalBoolean(name: string): boolean | undefined {
    if (!this.has(name)) return undefined;
    const value = this.value[name];
    return typeof value === 'boolean' ? value : this.fail(name, 'true or false', 'type');
  }

  optionalOneOf<Word extends string | number>(name: string, words: readonly Word[]): Word | undefined {
    if (!this.has(name)) return undefined;
    const value = this.value[name];
    return words.find((word) => word === value) ?? this.fail(name, `one of ${words.join(', ')}`);
  }

  oneOf<Word extends string | number>(name: string, words: readonly Word[]): Word {
    return this.optionalOneOf(name, words) ?? this.fail(name, `one of ${words.join(', ')}`, 'missing');
  }

  optionalArray(name: string): readonly unknown[] | undefined {
    if (!this.has(name)) return undefined;
    const value = this.value[name];
    return Array.isArray(value) ? value : this.fail(name, 'an array', 'type');
  }

  array(name: string): readonly unknown[] {
    return this.optionalArray(name) ?? this.fail(name, 'an array', 'missing');
  }

  optionalObject(name: string): Reader | undefined {
    return this.has(name) ? this.object(name) : undefined;
  }

  object(name: string): Reader {
    return new Reader(this.value[name], [...this.path, name], this.#complain);
  }

  /** The items of an array as objects; an absent array is empty. */
  objects(name: string): Reader[] {
    return (this.optionalArray(name) ?? []).map((item, index) => this.item(name, item, index));
  }

  strings(name: string): string[] {
    return (this.optionalArray(name) ?? []).map((item, index) => {
      if (typeof item !== 'string')
        throw this.#complain({ kind: 'type', path: [...this.path, name, index], want: 'a string' });
      return item;
    });
  }

  item(name: string, item: unknown, index: number): Reader {
    return new Reader(item, [...this.path, name, index], this.#complain);
  }
}
