/** What looks through the texts of requests and answers: what it looks for or whom it asks, where, and what it does. */

/** The built-in sets. */
export const DETECTORS = ['api_key', 'private_key', 'email', 'phone', 'credit_card', 'iban'] as const;
export type DetectorName = (typeof DETECTORS)[number];
export const GUARDRAIL_MODES = ['observe', 'mask', 'refuse'] as const;
export type GuardrailMode = (typeof GUARDRAIL_MODES)[number];
export const GUARDRAIL_STAGES = ['request', 'answer'] as const;
export type GuardrailStage = (typeof GUARDRAIL_STAGES)[number];
/** What becomes of texts that could not be judged. */
export const ON_ERROR = ['allow', 'refuse'] as const;
export type OnError = (typeof ON_ERROR)[number];

export interface GuardrailPattern {
  /** What a match is called in masks, headers and logs. */
  readonly name: string;
  /** A regular expression that `patternFault` has nothing against. */
  readonly pattern: string;
}

/** What all have in common that are judged elsewhere. */
interface JudgeRule {
  readonly timeoutMs: number;
  readonly onError: OnError;
  /** Characters of a stream that are judged together. */
  readonly window: number;
}
/** An address of the operator's that judges texts (docs/guides/guardrails.md#a-hook-of-your-own). */
export interface HookRule extends JudgeRule {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Questions at once; others wait within their time. */
  readonly atOnce: number;
}
/** A moderation model of the catalogue that judges texts. */
export interface ModerationRule extends JudgeRule {
  readonly model: string;
  /** Those that count; empty: all. */
  readonly categories: readonly string[];
  /** From which score a category counts, 0 to 1; of others the vendor's own word does. */
  readonly thresholds: Readonly<Record<string, number>>;
}

export interface Guardrail {
  readonly name: string;
  readonly mode: GuardrailMode;
  readonly stages: readonly GuardrailStage[];
  /** Model codes, names of keys, groups, with `*` for any characters; empty: all of them. */
  readonly models: readonly string[];
  readonly keys: readonly string[];
  readonly groups: readonly string[];
  readonly detect: readonly DetectorName[];
  readonly patterns: readonly GuardrailPattern[];
  /** Words and phrases, whole and whatever their case. */
  readonly words: readonly string[];
  /** Who judges in place of what is looked for here; one of them at most. */
  readonly hook?: HookRule;
  readonly moderation?: ModerationRule;
}
