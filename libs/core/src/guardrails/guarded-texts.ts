/** Texts that are there whole, looked through and judged: those of requests, and of answers that come at once. */
import { setImmediate } from 'node:timers/promises';
import type { JsonObject } from '@model-gateway/contracts';
import { putText, textAt, type TextPlace } from '@model-gateway/translate';
import { refusal, type Findings } from './findings.ts';
import type { GuardrailStage } from './guardrail.ts';
import type { Decide } from './judge.ts';
import { keptJson } from './judged-text.ts';
import { masked, type Match, type Scanner } from './scanner.ts';

/** Characters that are looked through before others have a turn. */
const AT_ONCE = 256 * 1024;

export interface Guarding {
  readonly findings: Findings;
  readonly decide: Decide;
}
/** A text and where it stands, for whom it is refused. */
export type GuardedText = Pick<TextPlace, 'param' | 'isJson'> & { readonly text: string };

/**
 * What may be sent of texts: by their number those that are changed. What is found here is masked before others judge. Throws
 * `content_refused`, and `unavailable` where nothing passes unjudged and it could not be judged.
 */
export async function guardedTexts(
  { findings, decide }: Guarding,
  stage: GuardrailStage,
  texts: readonly GuardedText[],
): Promise<ReadonlyMap<number, string>> {
  const scanner = findings.scannerFor(stage);
  const changes = scanner === undefined ? new Map<number, string>() : await scanTexts(findings, scanner, stage, texts);
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
  findings: Findings,
  scanner: Scanner,
  stage: GuardrailStage,
  texts: readonly GuardedText[],
): Promise<Map<number, string>> {
  const changes = new Map<number, string>();
  const all: Match[] = [];
  let refused: string | undefined;
  let looked = 0;
  for (const [index, { text, param, isJson }] of texts.entries()) {
    looked += text.length;
    if (looked > AT_ONCE) {
      looked = 0;
      await setImmediate();
    }
    const found = scanner.find(text);
    if (found.length === 0) continue;
    all.push(...found);
    if (found.some(({ mode }) => mode === 'refuse')) refused ??= param;
    if (found.some(({ mode }) => mode === 'mask')) changes.set(index, masked(text, found, isJson));
  }
  findings.tell(stage, all);
  if (refused !== undefined) throw refusal(stage, all, refused);
  return changes;
}
