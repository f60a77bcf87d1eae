/** `accounts[].pass_through`: its form, what in it can mean nothing, and what it becomes. */
import {
  openedPathFault,
  PASS_THROUGH_PREFIX,
  PathPattern,
  type CountName,
  type OpenedPath,
  type Price,
} from '@model-gateway/core';
import * as z from 'zod';
import type { ConfigFault, Path } from './fault.ts';
import { mayBeGiven } from './given-headers.ts';
import { bytes, dollars, name, number, positive } from './scalars.ts';

const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] as const;
/** What an answer may report, by the words of the file, and the price of each. */
const COUNTS = {
  units: ['units', 'unit'],
  input_tokens: ['inputTokens', 'input'],
  cached_input_tokens: ['cachedInputTokens', 'cached_input'],
  output_tokens: ['outputTokens', 'output'],
  images: ['images', 'image'],
  seconds: ['seconds', 'second'],
  characters: ['characters', 'character'],
} as const satisfies Readonly<Record<string, readonly [CountName, keyof Price]>>;
type Count = keyof typeof COUNTS;
const COUNT_NAMES = Object.keys(COUNTS) as Count[];

/** Headers that lead elsewhere, ask as somebody else, or say who asks: no list opens them. */
const NEVER_SENT =
  /^(?:x-gateway-|x-forwarded-|x-http-method|x-method-override|x-original-|x-rewrite-|x-amz-|forwarded$|via$|origin$|referer$|accept-encoding$|idempotency-key$|api-key$|proxy-|openai-(?:organization|project)$|x-goog-user-project$)/i;

const eachCount = <T extends z.ZodType>(value: T) =>
  z.strictObject(
    Object.fromEntries(COUNT_NAMES.map((count) => [count, value.optional()])) as Record<Count, z.ZodOptional<T>>,
  );

export const passThroughSchema = z.strictObject({
  keys: z.array(name).min(1).optional(),
  groups: z.array(name).min(1).optional(),
  owners: z.array(number(z.number().int().positive())).min(1).optional(),
  body_limit: bytes.optional(),
  paths: z
    .array(
      z.strictObject({
        path: z.string(),
        methods: z.array(z.enum(METHODS)).min(1),
        price: z.strictObject({
          call: dollars.optional(),
          unit: dollars.optional(),
          input: dollars.optional(),
          cached_input: dollars.optional(),
          output: dollars.optional(),
          image: dollars.optional(),
          second: dollars.optional(),
          character: dollars.optional(),
        }),
        usage: eachCount(
          z.string().regex(/^[^.]+(?:\.[^.]+)*$/, 'expected members with dots between them: usage.pages'),
        ).optional(),
        most: eachCount(positive).optional(),
        headers: z
          .array(
            z.string().refine((text) => mayBeGiven(text) && !NEVER_SENT.test(text), 'this header is never sent along'),
          )
          .optional(),
      }),
    )
    .min(1),
});
export type PassThroughRow = z.infer<typeof passThroughSchema>;

/** What the form does not show. `signsBodies`: the vendor’s signature covers the body, which is not held. */
export function passThroughFaults(
  path: Path,
  { keys, groups, owners, paths }: PassThroughRow,
  signsBodies: boolean,
): readonly ConfigFault[] {
  const faults: ConfigFault[] = [];
  if (signsBodies)
    faults.push({ path, message: 'its vendor signs the body of a request, so nothing can be passed through' });
  if (keys === undefined && groups === undefined && owners === undefined)
    faults.push({
      path,
      message: "it says nobody's keys: name keys, groups or owners ('*' among keys opens it to all)",
    });
  for (const [index, { path: text, price, usage = {}, most = {} }] of paths.entries()) {
    const at: Path = [...path, 'paths', index];
    const wrong = openedPathFault(text);
    if (wrong !== undefined) faults.push({ path: [...at, 'path'], message: `a path such as /files/*: ${wrong}` });
    if (Object.keys(price).length === 0)
      faults.push({ path: [...at, 'price'], message: 'it has no price; what costs nothing is call: 0' });
    for (const count of COUNT_NAMES) {
      if (usage[count] !== undefined && most[count] === undefined)
        faults.push({
          path: [...at, 'most'],
          message: `${count} is missing: as much is held before the vendor is asked`,
        });
      const [, priced] = COUNTS[count];
      if (price[priced] !== undefined && usage[count] === undefined)
        faults.push({ path: [...at, 'usage'], message: `${count} is missing, which ${priced} is the price of` });
    }
  }
  return faults;
}

/** The paths of an account, each as a row that is billed under the account's name. */
export function openedPathsOf(account: string, { paths }: Pick<PassThroughRow, 'paths'>): readonly OpenedPath[] {
  return paths.map(({ path, methods, price, usage = {}, most = {}, headers = [] }) => ({
    pattern: new PathPattern(path),
    methods: new Set<string>(methods),
    row: {
      code: PASS_THROUGH_PREFIX + account,
      kind: 'pass_through',
      description: '',
      offers: [],
      price: price as Price,
      voices: [],
      limits: {},
      created: 0,
    },
    most: Object.fromEntries(
      COUNT_NAMES.flatMap((count) => (most[count] === undefined ? [] : [[COUNTS[count][0], most[count]]])),
    ),
    counts: COUNT_NAMES.flatMap((count) => {
      const way = usage[count];
      return way === undefined ? [] : [{ name: COUNTS[count][0], path: way.split('.') }];
    }),
    headers: new Set(headers.map((header) => header.toLowerCase())),
  }));
}
