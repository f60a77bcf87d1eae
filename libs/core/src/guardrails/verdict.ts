/** What is asked of whoever judges texts, and what they say. */
import type { Asked } from './findings.ts';
import type { Guardrail, GuardrailStage } from './guardrail.ts';

export interface Question {
  readonly asked: Asked;
  readonly stage: GuardrailStage;
  /** None is empty. */
  readonly texts: readonly string[];
  /** Of a stream: its how manieth question this is, from 1. */
  readonly window?: number;
}

/** What was found in texts. */
export type Verdict =
  | { readonly action: 'allow' }
  /** `texts` stand in place of those that were judged, one for each. */
  | { readonly action: 'mask'; readonly texts: readonly string[]; readonly labels: readonly string[] }
  | { readonly action: 'refuse'; readonly labels: readonly string[]; readonly reason?: string }
  /** They could not be judged; why, in words without addresses, secrets and texts. */
  | { readonly action: 'fault'; readonly fault: string };

/** Judges texts for one guardrail. Never rejects. */
export type Judge = (guardrail: Guardrail, question: Question) => Promise<Verdict>;
