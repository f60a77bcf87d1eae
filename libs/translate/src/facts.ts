/** What is known of a wire format without its code: data that the modules of every format may read. */
import type { DeclaredFields } from '@model-gateway/contracts';

/** A setting of the middle form that reports name as the caller wrote it. */
export type Setting =
  | 'turns'
  | 'maxOutputTokens'
  | 'stop'
  | 'temperature'
  | 'topP'
  | 'topK'
  | 'presencePenalty'
  | 'frequencyPenalty'
  | 'seed'
  | 'count'
  | 'logprobs'
  | 'topLogprobs'
  | 'logitBias'
  | 'format'
  | 'verbosity'
  | 'effort'
  | 'budget'
  | 'reasoningText'
  | 'modalities'
  | 'audio'
  | 'image'
  | 'user'
  | 'metadata'
  | 'serviceTier'
  | 'cacheKey'
  | 'autoCache'
  | 'cacheMark'
  | 'toolChoice'
  | 'parallelToolCalls';

/** A member of a body, and of the objects in it: `generationConfig.maxOutputTokens`. */
export type MemberPath = string;

export interface DialectFacts {
  /** In headings and tables: `chat completions`. */
  readonly title: string;
  readonly fieldNames: Readonly<Record<Setting, MemberPath>>;
  /** The members that cap the tokens of an answer; the first of them counts. */
  readonly outputCaps: readonly MemberPath[];
  /** What asks for reasoning, by the quirk `thinking` of a model that does not take it. */
  readonly reasoning: { readonly none?: readonly MemberPath[]; readonly budget?: readonly MemberPath[] };
  /** What an offer that is asked on this wire may say in `quirks`: every fine point that its modules ask for (`quirk(target, name)`). */
  readonly quirks: DeclaredFields;
}
