/** Texts that are there whole, looked through and judged: those of requests, and of answers that come at once. */
import { GatewayError, type JsonObject } from '@model-gateway/contracts';
import { putText, textAt, type TextPlace } from '@model-gateway/translate';
import { refusal, type Findings } from './findings.ts';
import type { GuardrailStage } from './guardrail.ts';
import type { Decide } from './judge.ts';
import { keptJson } from './judged-text.ts';
import type { ScanThread } from './scan-thread.ts';
import { masked, type Match, type Scanner } from './scanner.ts';
import { findInTexts, MOST_LOOKED_AT } from './text-search.ts';

export interface Guarding {
  readonly findings: Findings;
  readonly decide: Decide;
  /** Where long texts are looked through; absent: here, in turns. */
  readonly thread: ScanThread | undefined;
}
/** A text and where it stands, for whom it is refused. */
export type GuardedText = Pick<TextPlace, 'param' | 'isJson'> & { readonly text: string };

/**
 * What may be sent of texts: by their number those that are changed. What is found here is masked before others judge. Throws
 * `content_refused`, and `unavailable` where nothing passes unjudged and it could not be judged.
 */
export async function guardedTexts(
  guarding: Guarding,
  stage: GuardrailStage,
  texts: readonly GuardedText[],
): Promise<ReadonlyMap<number, string>> {
  const { findings, decide } = guarding;
  const scanner = findings.scannerFor(stage);
  const changes = scanner === undefined ? new Map<number, string>() : await scanTexts(guarding, scanner, stage, texts);
  for (const guardrail of findings.judgesFor(stage)) {
    const given = texts.map(({ text }, index) => changes.get(index) ?? text);
    const some = given.flatMap((text, index) => (text === '' ? [] : index));
    if (some.length === 0) continue;
    const decision = await decide(findings, guardrail, { stage, texts: some.map((index) => given[index] ?? '') });
    if (decision.refusal !== undefined) throw decision.refusal;
    decision.texts?.forEach((text, at) => {
      const index = some[at] ?? 0;
      const before = given[index] ?? '';
      if (text !== before) changes.set(index, texts[index]?.isJson === true ? keptJson(before, text) : text);
    });
  }
  return changes;
}

/** A body with what is masked in it; undefined when nothing is. The given one stays as it is. */
export async function guardedBody(
  guarding: Guarding,
  stage: GuardrailStage,
  body: JsonObject,
  placesIn: (body: JsonObject) => readonly TextPlace[],
): Promise<JsonObject | undefined> {
  const texts = placesIn(body).map((place) => ({ ...place, text: textAt(place) }));
  const changes = await guardedTexts(guarding, stage, texts);
  if (changes.size === 0) return undefined;
  const copy = structuredClone(body);
  const places = placesIn(copy);
  for (const [index, text] of changes) {
    const place = places[index];
    if (place !== undefined) putText(place, text);
  }
  return copy;
}

async function scanTexts(
  { findings, thread }: Guarding,
  scanner: Scanner,
  stage: GuardrailStage,
  texts: readonly GuardedText[],
): Promise<Map<number, string>> {
  const changes = new Map<number, string>();
  const looked = texts.map(({ text, isJson }) => ({ text, isJson: isJson === true || looksLikeJson(text) }));
  const inTexts = await findInTexts(scanner, looked, { thread, ownerId: findings.asked.caller.key.ownerId });
  if (inTexts === undefined) {
    if (scanner.isActing) throw notLookedThrough(scanner, stage, texts);
    for (const { name } of scanner.guardrails) findings.tellUnchecked(name, stage);
    return changes;
  }
  const all: Match[] = [];
  let refused: string | undefined;
  for (const [index, found] of inTexts.entries()) {
    const { text, param, isJson } = texts[index] as GuardedText;
    if (found.length === 0) continue;
    for (const match of found) all.push(match);
    if (found.some(({ mode }) => mode === 'refuse')) refused ??= param;
    if (!found.some(({ mode }) => mode === 'mask')) continue;
    const changed = masked(text, found, isJson);
    changes.set(index, isJson === true ? keptJson(text, changed) : changed);
  }
  findings.tell(stage, all);
  if (refused !== undefined) throw refusal(stage, all, refused);
  return changes;
}

/** Results of tools are JSON often: escapes in them are read. */
function looksLikeJson(text: string): boolean {
  return text.includes('\\') && /^\s*[[{]/.test(text);
}

/** What nobody has looked through does not pass. */
export function notLookedThrough(
  scanner: Scanner,
  stage: GuardrailStage,
  texts: readonly Pick<GuardedText, 'text'>[],
): GatewayError {
  const names = scanner.guardrails.map(({ name }) => `'${name}'`).join(', ');
  const size = texts.reduce((sum, { text }) => sum + text.length, 0);
  if (size > MOST_LOOKED_AT && stage === 'request')
    return new GatewayError(
      'body_too_large',
      `the texts of the request have ${size} characters; the guardrails ${names} look through ${MOST_LOOKED_AT} at most`,
    );
  return new GatewayError(
    'unavailable',
    `the ${stage} could not be looked through by the guardrails ${names} in time, and the request needs this check; try again`,
  );
}
