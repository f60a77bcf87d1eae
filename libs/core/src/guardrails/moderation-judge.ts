/** Asks a moderation model of the catalogue what it says of texts. The operator wants to know it: callers are not charged for it. */
import { GatewayError, type JsonObject } from '@model-gateway/contracts';
import { findModel } from '../catalogue.ts';
import { createModerations } from '../kinds/moderation/moderations.ts';
import type { Spending } from '../money/spending.ts';
import type { Reservation } from '../ports.ts';
import type { WholeParts } from '../paid/whole-answer.ts';
import type { Caller } from '../parts.ts';
import type { Guardrail, ModerationRule } from './guardrail.ts';
import type { Judge, Verdict } from './verdict.ts';

/** Characters of one input: longer texts are judged in parts. */
const LONGEST_INPUT = 20_000;
/** Inputs of one request to the vendor. */
const MOST_INPUTS = 32;
/** For the ledger, which has no entry of it. */
const ENDPOINT = 'guardrail';

interface Part {
  /** Of the text. */
  readonly index: number;
  readonly text: string;
}

/** Makes the judge of guardrails that have a `moderation`. */
export function createModerationJudge(parts: WholeParts): Judge {
  const moderations = createModerations({ ...parts, spending: uncharged });

  const resultsOf = async (rule: ModerationRule, caller: Caller, texts: readonly string[]) => {
    const row = findModel(parts.catalogue(), rule.model, ['moderation']);
    const input = { input: texts, results: texts.length, body: { input: [...texts] } };
    return (await moderations.moderate({ caller, row, input, read: () => input, endpoint: ENDPOINT })).results;
  };
  const judge = async (
    { name, mode, ...guardrail }: Guardrail,
    texts: readonly string[],
    caller: Caller,
  ): Promise<Verdict> => {
    const rule = guardrail.moderation as ModerationRule;
    const inputs = partsOf(texts);
    const labels: string[] = [];
    const flagged = new Map<number, string>();
    for (let at = 0; at < inputs.length; at += MOST_INPUTS) {
      const some = inputs.slice(at, at + MOST_INPUTS);
      const results = await resultsOf(
        rule,
        caller,
        some.map(({ text }) => text),
      );
      some.forEach(({ index }, place) => {
        const found = categoriesIn(results[place], rule);
        labels.push(...found);
        if (found.length > 0 && !flagged.has(index)) flagged.set(index, found.join(' '));
      });
    }
    if (flagged.size === 0) return { action: 'allow' };
    if (mode === 'refuse') return { action: 'refuse', labels, reason: [...new Set(labels)].join(', ') };
    const masked = texts.map((text, index) => (flagged.has(index) ? `[${name}: ${flagged.get(index) ?? ''}]` : text));
    return { action: 'mask', texts: masked, labels };
  };

  return async (guardrail, { asked, texts }) => {
    const { timeoutMs } = guardrail.moderation as ModerationRule;
    const signal = AbortSignal.timeout(timeoutMs);
    const judging = judge(guardrail, texts, { ...asked.caller, signal });
    // An account that lets its answers come to their end may answer later than anybody waits.
    judging.catch(() => undefined);
    const late = new Promise<Verdict>((resolve) =>
      signal.addEventListener('abort', () => resolve(fault(`it took longer than ${timeoutMs} ms`)), { once: true }),
    );
    try {
      return await Promise.race([judging, late]);
    } catch (error) {
      return fault(error instanceof GatewayError ? `the moderation model failed: ${error.code}` : 'it failed');
    }
  };
}

/** What of texts there is to judge, in parts that the model takes. */
function partsOf(texts: readonly string[]): readonly Part[] {
  return texts.flatMap((text, index) => {
    const own: Part[] = [];
    for (let at = 0; at < text.length; at += LONGEST_INPUT) {
      const part = text.slice(at, at + LONGEST_INPUT);
      // Numbers say nothing that it judges.
      if (/[^\s\d+-]/.test(part)) own.push({ index, text: part });
    }
    return own;
  });
}

/** The categories that count in a result. */
export function categoriesIn(
  result: JsonObject | undefined,
  { categories, thresholds }: Pick<ModerationRule, 'categories' | 'thresholds'>,
): readonly string[] {
  const flags = objectIn(result, 'categories');
  const scores = objectIn(result, 'category_scores');
  const all = categories.length > 0 ? categories : [...new Set([...Object.keys(flags), ...Object.keys(thresholds)])];
  const found = all.filter((category) => {
    const threshold = thresholds[category];
    const score = scores[category];
    return threshold === undefined || typeof score !== 'number' ? flags[category] === true : score >= threshold;
  });
  const isAny = categories.length === 0 && Object.keys(thresholds).length === 0;
  return found.length === 0 && isAny && result?.['flagged'] === true ? ['flagged'] : found;
}

function objectIn(result: JsonObject | undefined, name: string): JsonObject {
  const value = result?.[name];
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? value : {};
}

function fault(why: string): Verdict {
  return { action: 'fault', fault: why };
}

/** Nobody's money is set aside: a check is the operator's wish. */
const uncharged: Pick<Spending, 'reserve'> = {
  reserve: (): Reservation => ({
    charge: () => ({ charged: 0 }),
    checkpoint: () => undefined,
    cancel: () => undefined,
  }),
};
