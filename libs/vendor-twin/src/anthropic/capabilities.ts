/** What differs between Claude models; unknown names behave like the newest (docs/wire/anthropic-messages.md#model-capabilities). */
export interface Capabilities {
  readonly maxOutput: number;
  readonly structured: boolean;
  readonly adaptive: boolean;
  /** Only temperature 1, top_p 0.99 or more, no top_k. */
  readonly rejectsSampling: boolean;
  /** Temperature and top_p exclude each other. */
  readonly oneSampler: boolean;
  /** May be given the beginning of its own answer. */
  readonly prefill: boolean;
  /** Thinks unless told not to. */
  readonly thinksByDefault: boolean;
  /** Thinking text stays hidden unless asked for. */
  readonly hidesThinking: boolean;
}

const NEWEST: Capabilities = {
  maxOutput: 128_000,
  structured: true,
  adaptive: true,
  rejectsSampling: true,
  oneSampler: true,
  prefill: false,
  thinksByDefault: true,
  hidesThinking: true,
};
const BEFORE_47: Capabilities = {
  ...NEWEST,
  rejectsSampling: false,
  thinksByDefault: false,
  hidesThinking: false,
};
const OLDER: Capabilities = { ...BEFORE_47, maxOutput: 64_000, adaptive: false, prefill: true };

const TABLE: readonly (readonly [RegExp, Capabilities])[] = [
  [/opus-4-8/, { ...NEWEST, thinksByDefault: false }],
  [/opus-4-7/, { ...NEWEST, thinksByDefault: false, hidesThinking: false }],
  [/(sonnet|opus)-4-6/, BEFORE_47],
  [/(sonnet|opus|haiku)-4-5/, OLDER],
  [/opus-4-1/, { ...OLDER, maxOutput: 32_000, structured: false }],
  [/(sonnet|opus)-4-|3-[57]-/, { ...OLDER, structured: false, oneSampler: false }],
];

export function capabilitiesOf(model: string): Capabilities {
  return TABLE.find(([pattern]) => pattern.test(model))?.[1] ?? NEWEST;
}
