/** What the validator finds, in plain words: it speaks of schemas, callers read of their fields. */

export interface ValidatorFault {
  readonly path: string;
  readonly message: string;
}

/** The fault to tell of: where a field may be several things, what is wrong inside the one that was meant. */
export function faultToTell(faults: readonly ValidatorFault[]): ValidatorFault | undefined {
  const first = faults[0];
  if (first === undefined) return undefined;
  const inside = faults.find(({ path }) => path.startsWith(`${first.path}/`));
  if (inside === undefined) return first;
  return faultToTell(faults.filter(({ path }) => path === inside.path || path.startsWith(`${inside.path}/`)));
}

/** The rest of a sentence that begins with the field: `must be a string, an array or null`. */
export function wordsOf(told: ValidatorFault, all: readonly ValidatorFault[]): string {
  const types = all
    .filter(({ path }) => path === told.path)
    .flatMap(({ message }) => TYPES.exec(message)?.[1]?.split(',') ?? []);
  if (TYPES.test(told.message)) return `must be ${either([...new Set(types)].flatMap((type) => NOUNS[type] ?? type))}`;
  for (const [pattern, words] of PHRASES) {
    const found = pattern.exec(told.message);
    if (found !== null) return words(found[1] ?? '');
  }
  return told.message;
}

const TYPES =
  /^must be ((?:string|array|object|integer|number|boolean|null)(?:,(?:string|array|object|integer|number|boolean|null))*)$/;
const NOUNS: Readonly<Record<string, string | readonly string[]>> = {
  string: 'a string',
  array: 'an array',
  object: 'an object',
  integer: 'a whole number',
  number: 'a number',
  boolean: ['true', 'false'],
};

const PHRASES: readonly (readonly [RegExp, (found: string) => string])[] = [
  [/^must have required property '/, () => 'is missing'],
  [/^must be equal to one of the allowed values: (.+)$/, (words) => `must be ${either(words.split(', '))}`],
  [/^must NOT have fewer than (\d+) items$/, (least) => `must have ${counted(least, 'item')} or more`],
  [/^must NOT have more than (\d+) items$/, (most) => `must have at most ${counted(most, 'item')}`],
  [/^must NOT have fewer than (\d+) characters$/, (least) => `must have ${counted(least, 'character')} or more`],
  [/^must NOT have more than (\d+) characters$/, (most) => `must have at most ${counted(most, 'character')}`],
  [/^must be >= (-?[\d.]+)$/, (least) => `must be ${least} or more`],
  [/^must be <= (-?[\d.]+)$/, (most) => `must be ${most} or less`],
  [/^must be > (-?[\d.]+)$/, (least) => `must be more than ${least}`],
  [/^must be < (-?[\d.]+)$/, (most) => `must be less than ${most}`],
  [/^must NOT have additional properties$/, () => 'is not a field of this body'],
];

function counted(count: string, noun: string): string {
  return `${count} ${noun}${count === '1' ? '' : 's'}`;
}

/** `a, b or c` */
function either(words: readonly string[]): string {
  return words.length < 2 ? (words[0] ?? '') : `${words.slice(0, -1).join(', ')} or ${words.at(-1) ?? ''}`;
}
