/** What looks through requests and answers, as the configuration says it (docs/guides/guardrails.md). */
import {
  DETECTORS,
  GUARDRAIL_MODES,
  GUARDRAIL_STAGES,
  kindOf,
  matches,
  ON_ERROR,
  patternFault,
  type Guardrail,
  type ModelKind,
} from '@model-gateway/core';
import * as z from 'zod';
import type { ConfigFault } from './fault.ts';
import { didYouMean, groupFaults } from './nearest.ts';
import { count, name, number } from './scalars.ts';

const names = z.array(name).min(1);
/** It stands in headers and masks. */
const label = z
  .string()
  .regex(/^[A-Za-z0-9][\w.-]{0,63}$/, 'expected 1 to 64 letters, digits, dots, dashes or underscores');

/** What all have that are judged elsewhere. */
const judge = {
  timeout_ms: number(z.number().int().min(10).max(60_000)).optional(),
  on_error: z.enum(ON_ERROR).optional(),
  window: number(z.number().int().min(100).max(20_000)).optional(),
};
/** As HTTP has them: what is none would be an error of every question. */
const HEADER_NAME = /^[A-Za-z0-9!#$%&'*+.^_`|~-]{1,100}$/;
const headerValue = z.string().regex(/^[\t\x20-\x7e]{1,4000}$/, 'expected printable ASCII');

const hookSchema = z.strictObject({
  url: z.url({ protocol: /^https?$/, error: 'expected an address that begins with https:// or http://' }),
  headers: z
    .record(z.string(), headerValue)
    .superRefine((headers, context) => {
      for (const each of Object.keys(headers))
        if (!HEADER_NAME.test(each))
          context.addIssue({ code: 'custom', path: [each], message: 'is no name of a header' });
    })
    .optional(),
  max_concurrency: count.optional(),
  ...judge,
});
const moderationRule = z.strictObject({
  model: name,
  categories: z.array(name).min(1).max(100).optional(),
  thresholds: z.record(name, number(z.number().min(0).max(1))).optional(),
  ...judge,
});

export const guardrailSchema = z.strictObject({
  name: label,
  mode: z.enum(GUARDRAIL_MODES),
  on: z.array(z.enum(GUARDRAIL_STAGES)).min(1).optional(),
  models: names.optional(),
  keys: names.optional(),
  groups: names.optional(),
  detect: z.array(z.enum(DETECTORS)).min(1).optional(),
  patterns: z
    .array(
      z.strictObject({
        name: label,
        pattern: z
          .string()
          .min(1)
          .superRefine((pattern, context) => {
            const fault = patternFault(pattern);
            if (fault !== undefined) context.addIssue({ code: 'custom', message: `the pattern ${fault}` });
          }),
      }),
    )
    .min(1)
    .max(100)
    .optional(),
  words: z.array(name.max(200)).min(1).max(2000).optional(),
  hook: hookSchema.optional(),
  moderation: moderationRule.optional(),
});

type GuardrailRow = z.infer<typeof guardrailSchema>;

const HOOK_TIMEOUT_MS = 3_000;
const MODERATION_TIMEOUT_MS = 10_000;
const HOOK_AT_ONCE = 64;
const WINDOW = 1_000;

/** As core knows it. */
export function guardrailOf(row: GuardrailRow): Guardrail {
  const { name: called, mode, on, detect, patterns, words, hook, moderation, ...where } = row;
  return {
    name: called,
    mode,
    stages: on ?? GUARDRAIL_STAGES,
    models: where.models ?? [],
    keys: where.keys ?? [],
    groups: where.groups ?? [],
    detect: detect ?? [],
    patterns: patterns ?? [],
    words: words ?? [],
    ...(hook !== undefined && {
      hook: {
        url: hook.url,
        headers: hook.headers ?? {},
        atOnce: hook.max_concurrency ?? HOOK_AT_ONCE,
        ...judgeOf(hook, HOOK_TIMEOUT_MS),
      },
    }),
    ...(moderation !== undefined && {
      moderation: {
        model: moderation.model,
        categories: moderation.categories ?? [],
        thresholds: moderation.thresholds ?? {},
        ...judgeOf(moderation, MODERATION_TIMEOUT_MS),
      },
    }),
  };
}

function judgeOf(
  { timeout_ms, on_error, window }: Pick<NonNullable<GuardrailRow['hook']>, keyof typeof judge>,
  usualMs: number,
) {
  return { timeoutMs: timeout_ms ?? usualMs, onError: on_error ?? ('refuse' as const), window: window ?? WINDOW };
}

/** Of a row: its names and the kind of model. */
export interface CheckedModel {
  readonly code: string;
  readonly aliases?: readonly string[] | undefined;
  readonly kind: ModelKind;
}

/** What guardrails are checked against. */
interface Surroundings {
  readonly models: readonly CheckedModel[];
  readonly groups: readonly string[];
  /** Names of MCP servers, whose tools are named as models are: `mcp/docs/search`. */
  readonly mcpServers?: readonly string[];
}

/** What is wrong with guardrails that have the right form. */
export function guardrailFaults(
  rows: readonly GuardrailRow[],
  { models, groups, mcpServers = [] }: Surroundings,
): readonly ConfigFault[] {
  const codes = models.flatMap(({ code, kind }) => (kindOf({ kind }).isGuarded === true ? [code] : []));
  return rows.flatMap((row, index): ConfigFault[] => {
    const at = (...path: readonly (string | number)[]) => ['guardrails', index, ...path];
    const faults: ConfigFault[] = [];
    if (rows.slice(0, index).some((earlier) => earlier.name === row.name))
      faults.push({ path: at('name'), message: `'${row.name}' is there twice` });
    faults.push(...whoLooks(row).map((message) => ({ path: at(), message })));
    faults.push(...hookFaults(row, at), ...moderationFaults(row, models, at));
    for (const [place, pattern] of (row.models ?? []).entries())
      if (!codes.some((code) => code === pattern || matches(pattern, code)) && !isForTools(pattern, mcpServers))
        faults.push({
          path: at('models', place),
          message: `'${pattern}' fits no model whose requests are looked through${didYouMean(pattern, codes)}`,
        });
    faults.push(...groupFaults(at('groups'), row.groups, groups));
    return faults;
  });
}

/** Whether a pattern is for tools of these servers. */
function isForTools(pattern: string, servers: readonly string[]): boolean {
  const [first, server] = pattern.split('/');
  return first === 'mcp' && server !== undefined && servers.some((name) => matches(server, name));
}

type At = (...path: readonly (string | number)[]) => ConfigFault['path'];

/** It looks for something itself, or one other judges. */
function whoLooks({ detect, patterns, words, hook, moderation }: GuardrailRow): readonly string[] {
  const looks = detect !== undefined || patterns !== undefined || words !== undefined;
  const judges = Number(hook !== undefined) + Number(moderation !== undefined);
  if (!looks && judges === 0) return ['it looks for nothing; say detect, patterns, words, hook or moderation'];
  if (judges === 2 || (looks && judges === 1))
    return ['a guardrail with a hook or a moderation has nothing else to look for; make two of it'];
  return [];
}

function hookFaults({ hook }: GuardrailRow, at: At): readonly ConfigFault[] {
  if (hook === undefined) return [];
  const { username, password } = new URL(hook.url);
  const message = 'it carries a user name or a password; say them in headers';
  return username === '' && password === '' ? [] : [{ path: at('hook', 'url'), message }];
}

function moderationFaults(
  { moderation }: GuardrailRow,
  models: readonly CheckedModel[],
  at: At,
): readonly ConfigFault[] {
  if (moderation === undefined) return [];
  const { model, categories, thresholds = {} } = moderation;
  const faults: ConfigFault[] = [];
  const row = models.find(({ code, aliases = [] }) => code === model || aliases.includes(model));
  const codes = models.flatMap(({ code, kind }) => (kind === 'moderation' ? [code] : []));
  if (row?.kind !== 'moderation') {
    const what = row === undefined ? `there is no model '${model}'` : `'${model}' is no moderation model`;
    faults.push({ path: at('moderation', 'model'), message: `${what}${didYouMean(model, codes)}` });
  }
  for (const category of Object.keys(thresholds))
    if (categories?.includes(category) === false)
      faults.push({
        path: at('moderation', 'thresholds', category),
        message: `'${category}' is not among the categories`,
      });
  return faults;
}
