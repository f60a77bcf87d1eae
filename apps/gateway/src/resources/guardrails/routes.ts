/** /admin/guardrails: which there are, and what they would make of a text. */
import { GatewayError, type components } from '@model-gateway/contracts';
import { tryText, type Guardrail } from '@model-gateway/core';
import type { AdminOperations, AdminParts } from '../admin-operation.ts';

type Schemas = components['schemas'];

/** Operations on guardrails. */
export function guardrailOperations({ catalogue }: AdminParts): AdminOperations {
  return {
    listGuardrails: () => ({ object: 'list', data: (catalogue().guardrails ?? []).map(guardrailView) }),
    testGuardrails: async ({ body: { text, stage = 'request', model = '', key = '', group = 'default' } }) => {
      const trial = await tryText({ catalogue }, { text, stage, model, key: { name: key, group } });
      if (trial === undefined)
        throw new GatewayError('unavailable', 'the text could not be looked through in time; try a shorter one');
      return {
        object: 'guardrail_trial',
        outcome: trial.outcome,
        text: trial.text ?? null,
        guardrails: trial.guardrails.map(({ guardrail: { name, mode }, outcome, found }) => ({
          ...{ name, mode, outcome },
          found: Object.entries(found).map(([label, count]) => ({ label, count })),
        })),
      };
    },
  };
}

function guardrailView(guardrail: Guardrail): Schemas['Guardrail'] {
  const { name, mode, stages, models, keys, groups, detect, patterns, words } = guardrail;
  return {
    ...{ object: 'guardrail', name, mode },
    ...{ stages: [...stages], models: [...models], keys: [...keys], groups: [...groups], detect: [...detect] },
    patterns: patterns.map((each) => ({ ...each })),
    words: words.length,
    judge: judgeView(guardrail),
  };
}

/** Of a hook its host alone: paths and headers may hold a secret. */
function judgeView({ hook, moderation }: Guardrail): Schemas['GuardrailJudge'] | null {
  const rule = hook ?? moderation;
  if (rule === undefined) return null;
  const name = hook === undefined ? (moderation?.model ?? '') : new URL(hook.url).host;
  const kind = hook === undefined ? 'moderation' : 'hook';
  return { kind, name, timeout_ms: rule.timeoutMs, on_error: rule.onError };
}
