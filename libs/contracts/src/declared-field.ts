/** How a part of the gateway says which words a configuration may set for it: checked at the start, readable for people. */

/** One value that may be set. It is right when it is one of `values` or of the `type`; at least one of the two is there. */
export interface DeclaredField {
  /** What it does, in one sentence. */
  readonly about: string;
  /** `count` is a whole number from 1, `texts` a list of texts, `names` an object of texts. */
  readonly type?: 'text' | 'flag' | 'count' | 'texts' | 'names';
  readonly values?: readonly (string | number | boolean)[];
}

/** By the name that a configuration writes. */
export type DeclaredFields = Readonly<Record<string, DeclaredField>>;
