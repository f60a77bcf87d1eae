/** Has texts judged elsewhere, by a hook of the operator's or a moderation model, and decides what becomes of them. */
import { GatewayError } from '@model-gateway/contracts';
import type { WholeParts } from '../paid/whole-answer.ts';
import type { Parts } from '../parts.ts';
import { counted, type Findings } from './findings.ts';
import type { Guardrail, GuardrailMode, GuardrailStage } from './guardrail.ts';
import { createHookJudge } from './hook-judge.ts';
import { createModerationJudge } from './moderation-judge.ts';
import type { Judge, Question } from './verdict.ts';

/** What becomes of texts that were judged: nothing where both are absent. */
export interface Decision {
  /** In place of the given ones, one for each. */
  readonly texts?: readonly string[];
  readonly refusal?: GatewayError;
}
/** Has texts judged, tells what was found, and decides. Never rejects. */
export type Decide = (findings: Findings, guardrail: Guardrail, question: Omit<Question, 'asked'>) => Promise<Decision>;

export type GuardParts = WholeParts & Pick<Parts, 'meter' | 'hooks' | 'scanThread'>;

/** Makes what decides. */
export function createDecide(parts: GuardParts): Decide {
  const ofHook = createHookJudge(parts);
  const ofModeration = createModerationJudge(parts);
  const judge: Judge = (guardrail, question) =>
    guardrail.hook === undefined ? ofModeration(guardrail, question) : ofHook(guardrail, question);

  return async (findings, guardrail, { stage, ...rest }) => {
    const { asked } = findings;
    const { name, mode } = guardrail;
    const since = parts.now();
    const verdict = await judge(guardrail, { asked, stage, ...rest });
    parts.meter.count('gateway_guardrail_checks', { guardrail: name, stage, result: verdict.action });
    parts.meter.observe('gateway_guardrail_check_seconds', (parts.now() - since) / 1000, { guardrail: name });
    if (verdict.action === 'allow') return {};
    if (verdict.action === 'fault') {
      const { caller, model } = asked;
      const onError = onErrorOf(guardrail);
      parts.log.warn(
        { request_id: caller.requestId, model, guardrail: name, stage, reason: verdict.fault, on_error: onError },
        'a guardrail could not judge',
      );
      if (onError === 'refuse') return { refusal: unjudged(name, stage) };
      findings.tellUnchecked(name, stage);
      return {};
    }
    const done = doneBy(mode, verdict.action);
    findings.tellOne({ guardrail: name, stage, mode: done, found: counted(verdict.labels) });
    if (done === 'observe') return {};
    if (done === 'refuse')
      return { refusal: refusedBy(name, stage, verdict.action === 'refuse' ? verdict : { labels: [] }) };
    return { texts: verdict.action === 'mask' ? verdict.texts : rest.texts.map(() => `[${name}]`) };
  };
}

/** The mode is the most that a verdict can do. */
function doneBy(mode: GuardrailMode, action: 'mask' | 'refuse'): GuardrailMode {
  return mode === 'refuse' ? action : mode;
}

/** Of what is only observed nothing is refused. */
function onErrorOf({ mode, hook, moderation }: Guardrail): 'allow' | 'refuse' {
  return mode === 'observe' ? 'allow' : ((hook ?? moderation)?.onError ?? 'refuse');
}

function refusedBy(
  name: string,
  stage: GuardrailStage,
  { labels, reason }: { readonly labels: readonly string[]; readonly reason?: string },
): GatewayError {
  const why = reason ?? labels.join(', ');
  return new GatewayError(
    'content_refused',
    `the ${stage} was refused by the guardrail '${name}'${why === '' ? '' : `: ${why}`}`,
  );
}

function unjudged(name: string, stage: GuardrailStage): GatewayError {
  return new GatewayError(
    'unavailable',
    `the ${stage} could not be checked by the guardrail '${name}', and the request needs this check; try again`,
  );
}
