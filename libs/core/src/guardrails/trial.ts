/** A text that is only tried: looked through as a request would be, with nobody asked and nothing written down. */
import type { Parts } from '../parts.ts';
import type { KeyRecord } from '../ports.ts';
import { counted, guardrailsFor, isJudge } from './findings.ts';
import type { Guardrail, GuardrailMode, GuardrailStage } from './guardrail.ts';
import { masked, scannerOf, type Match } from './scanner.ts';
import { findInTexts } from './text-search.ts';

export interface TriedText {
  readonly text: string;
  readonly stage: GuardrailStage;
  readonly model: string;
  readonly key: Pick<KeyRecord, 'name' | 'group'>;
}

export type TrialOutcome = 'passed' | 'observed' | 'masked' | 'refused';

export interface Trial {
  readonly outcome: TrialOutcome;
  /** What would go on; undefined when it is refused. */
  readonly text: string | undefined;
  /** Those that look at such texts, in their order. */
  readonly guardrails: readonly {
    readonly guardrail: Guardrail;
    /** Others would judge it, and were not asked. */
    readonly outcome: TrialOutcome | 'not_asked';
    /** How often what was found. */
    readonly found: Readonly<Record<string, number>>;
  }[];
}

const OUTCOMES = { observe: 'observed', mask: 'masked', refuse: 'refused' } as const satisfies Record<
  GuardrailMode,
  TrialOutcome
>;
const STRICTEST = ['refused', 'masked', 'observed'] as const;

/** Tries a text. Undefined where it could not be looked through in time. */
export async function tryText(
  { catalogue }: Pick<Parts, 'catalogue'>,
  { text, stage, model, key }: TriedText,
): Promise<Trial | undefined> {
  const own = guardrailsFor({ catalogue }, catalogue().guardrails ?? [], { model, caller: { key } }).filter((each) =>
    each.stages.includes(stage),
  );
  const looking = own.filter((each) => !isJudge(each));
  const found = await findInTexts(scannerOf(looking), [{ text }], { thread: undefined, ownerId: 0 });
  if (found === undefined) return undefined;
  const matches = found[0] ?? [];
  const guardrails = own.map((guardrail) => trialOf(guardrail, looking.includes(guardrail), matches));
  const outcome = STRICTEST.find((each) => guardrails.some((one) => one.outcome === each)) ?? 'passed';
  return { outcome, text: outcome === 'refused' ? undefined : masked(text, matches), guardrails };
}

function trialOf(guardrail: Guardrail, looks: boolean, matches: readonly Match[]): Trial['guardrails'][number] {
  if (!looks) return { guardrail, outcome: 'not_asked', found: {} };
  const own = matches.filter((match) => match.guardrail === guardrail.name);
  const outcome = own.length === 0 ? 'passed' : OUTCOMES[guardrail.mode];
  return { guardrail, outcome, found: counted(own.map(({ label }) => label)) };
}
