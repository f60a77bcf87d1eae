/** What guardrails found in one request and its answer: told without the texts. */
import { GatewayError } from '@model-gateway/contracts';
import { codeOf } from '../catalogue.ts';
import { matches } from '../keys/pattern.ts';
import type { Trace } from '../paid/trace.ts';
import type { Caller, Parts } from '../parts.ts';
import type { KeyRecord } from '../ports.ts';
import type { Guardrail, GuardrailMode, GuardrailStage } from './guardrail.ts';
import { scannerOf, type Match, type Scanner } from './scanner.ts';

/** Whose texts they are. */
export interface Asked {
  readonly caller: Caller;
  /** As the caller wrote it. */
  readonly model: string;
  /** The kind of model: `chat`. */
  readonly kind: string;
}

/** What one guardrail found at one time. */
export interface Told {
  readonly guardrail: string;
  readonly stage: GuardrailStage;
  readonly mode: GuardrailMode;
  /** How often what was found. */
  readonly found: Readonly<Record<string, number>>;
}

export interface Findings {
  readonly asked: Asked;
  /** Undefined where nothing looks at this stage itself. */
  scannerFor(stage: GuardrailStage): Scanner | undefined;
  /** Those that have the texts of this stage judged elsewhere. */
  judgesFor(stage: GuardrailStage): readonly Guardrail[];
  /** Notes matches for the header and the log. */
  tell(stage: GuardrailStage, found: readonly Match[]): void;
  tellOne(told: Told): void;
  /** Notes that texts went on unjudged. */
  tellUnchecked(guardrail: string, stage: GuardrailStage): void;
}

/** Those that are for this model, key and group. */
export function guardrailsFor(
  { catalogue }: Pick<Parts, 'catalogue'>,
  guardrails: readonly Guardrail[],
  {
    model,
    caller: { key },
  }: { readonly model: string; readonly caller: { readonly key: Pick<KeyRecord, 'name' | 'group'> } },
): readonly Guardrail[] {
  const code = codeOf(catalogue(), model);
  const names = (patterns: readonly string[], name: string): boolean =>
    patterns.length === 0 || patterns.some((pattern) => matches(pattern, name));
  return guardrails.filter(
    (each) => names(each.models, code) && names(each.keys, key.name) && names(each.groups, key.group),
  );
}

/** Begins to note what is found. `trace` is what the answer's headers are made of. */
export function findingsOf(
  { log }: Pick<Parts, 'log'>,
  guardrails: readonly Guardrail[],
  asked: Asked,
  trace?: Trace,
): Findings {
  const note = (words: string): void => {
    if (trace !== undefined && trace.guardrails?.includes(words) !== true)
      trace.guardrails = [...(trace.guardrails ?? []), words];
  };
  const of = (stage: GuardrailStage, isJudged: boolean): readonly Guardrail[] =>
    guardrails.filter((each) => each.stages.includes(stage) && isJudge(each) === isJudged);
  const tellOne = ({ guardrail, stage, mode, found }: Told): void => {
    const { caller, model } = asked;
    note(`${guardrail}: ${DONE[mode]} in ${stage} (${Object.keys(found).join(' ')})`);
    log.info(
      { request_id: caller.requestId, key_id: caller.key.id, model, guardrail, stage, mode, found },
      'a guardrail found something',
    );
  };
  return {
    asked,
    scannerFor(stage) {
      const own = of(stage, false);
      return own.length === 0 ? undefined : scannerOf(own);
    },
    judgesFor: (stage) => of(stage, true),
    tell(stage, found) {
      for (const [guardrail, all] of Map.groupBy(found, (match) => match.guardrail))
        tellOne({ guardrail, stage, mode: all[0]?.mode ?? 'observe', found: counted(all.map(({ label }) => label)) });
    },
    tellOne,
    tellUnchecked: (guardrail, stage) => note(`${guardrail}: ${stage} not checked`),
  };
}

/** Whether somebody else is asked, and it looks at no text itself. */
export function isJudge({ hook, moderation }: Guardrail): boolean {
  return hook !== undefined || moderation !== undefined;
}

/** How often each of them is there. */
export function counted(labels: readonly string[]): Readonly<Record<string, number>> {
  const counts: Record<string, number> = {};
  for (const label of labels) counts[label] = (counts[label] ?? 0) + 1;
  return counts;
}

/** What a caller is told whose text, or whose answer, had what is refused. `param` is where, in a request. */
export function refusal(stage: GuardrailStage, found: readonly Match[], param: string | undefined): GatewayError {
  const first = found.find(({ mode }) => mode === 'refuse');
  const what = first?.label === 'word' ? 'a word that is not allowed' : `what looks like ${first?.label ?? 'it'}`;
  return new GatewayError(
    'content_refused',
    `the ${stage} was refused by the guardrail '${first?.guardrail ?? ''}': ${param === undefined ? 'it' : param} contains ${what}`,
    param === undefined || stage === 'answer' ? {} : { param },
  );
}

const DONE = { observe: 'seen', mask: 'masked', refuse: 'refused' } as const;
