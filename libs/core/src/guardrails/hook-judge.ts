/** Asks an address of the operator's what it says of texts (docs/guides/guardrails.md#a-hook-of-your-own). */
import { isJsonObject, type Json, type JsonObject } from '@model-gateway/contracts';
import type { Parts } from '../parts.ts';
import type { HookRule } from './guardrail.ts';
import type { Judge, Question, Verdict } from './verdict.ts';

/** Bytes of a question. */
const LARGEST_QUESTION = 8 * 1024 * 1024;
/** An answer may have every text twice as long, and so much beside. */
const BESIDE_TEXTS = 64 * 1024;
const LONGEST_REASON = 300;
/** What is told of a hook's findings. */
const LABEL = 'hook';

/** Makes the judge of guardrails that have a `hook`. */
export function createHookJudge({ hooks }: Pick<Parts, 'hooks'>): Judge {
  return async (guardrail, question) => {
    if (hooks === undefined) return fault('this process cannot call hooks');
    const { url, headers, timeoutMs, atOnce } = guardrail.hook as HookRule;
    const characters = question.texts.reduce((sum, { length }) => sum + length, 0);
    if (characters > LARGEST_QUESTION)
      return fault(`the texts have ${characters} characters; a hook is sent ${LARGEST_QUESTION} bytes`);
    const body = JSON.stringify(questionOf(guardrail.name, question));
    const size = Buffer.byteLength(body);
    if (size > LARGEST_QUESTION) return fault(`the texts take ${size} bytes; a hook is sent ${LARGEST_QUESTION}`);
    const reply = await hooks.ask({ url, headers, body, timeoutMs, atOnce, largest: 2 * size + BESIDE_TEXTS });
    return reply.ok ? verdictIn(reply.body, question.texts) : fault(reply.fault);
  };
}

function questionOf(guardrail: string, { asked, stage, texts, window }: Question): JsonObject {
  const { caller, model, kind } = asked;
  return {
    stage,
    guardrail,
    request_id: caller.requestId,
    model,
    kind,
    ...(window !== undefined && { window }),
    texts: [...texts],
  };
}

/** Reads an answer. What does not have the form is a fault that says what would have it. */
export function verdictIn(body: string, asked: readonly string[]): Verdict {
  let said: Json;
  try {
    said = JSON.parse(body) as Json;
  } catch {
    return fault('its answer is no JSON');
  }
  if (!isJsonObject(said)) return fault('its answer is not a JSON object');
  const { action, texts, reason } = said;
  if (reason !== undefined && reason !== null && typeof reason !== 'string')
    return fault('its reason must be text, or left out');
  switch (action) {
    case 'allow':
      return { action };
    case 'refuse': {
      const why = typeof reason === 'string' ? plain(reason) : '';
      return { action, labels: [LABEL], ...(why !== '' && { reason: why }) };
    }
    case 'mask':
      if (!Array.isArray(texts) || texts.length !== asked.length || !texts.every((text) => typeof text === 'string'))
        return fault(`its texts must be ${asked.length} with the action mask, one for each that it was sent`);
      // A mask that changes nothing is none.
      if (texts.every((text, index) => text === asked[index])) return { action: 'allow' };
      return { action, texts, labels: [LABEL] };
    default:
      return fault('its action must be allow, mask or refuse');
  }
}

/** What callers may be shown. */
function plain(text: string): string {
  return text
    .replace(/[\p{Cc}\p{Cf}\s]+/gu, ' ')
    .trim()
    .slice(0, LONGEST_REASON);
}

function fault(why: string): Verdict {
  return { action: 'fault', fault: why };
}
