/** What a Gemini model can do, told from its name. */
export interface GeminiAbilities {
  /** Gemini 3 and later: signatures are enforced, calls have ids, thinking has levels. */
  readonly signs: boolean;
  readonly thinks: 'always' | 'unless-budget-0' | 'never';
  readonly minimalLevel: boolean;
  readonly draws: boolean;
  readonly speaks: boolean;
}

export function abilitiesOf(model: string): GeminiAbilities {
  const version = Number(/^gemini-(\d+(?:\.\d+)?)/.exec(model)?.[1] ?? '3');
  const draws = model.includes('image') || model.includes('banana');
  const speaks = model.includes('tts');
  const signs = version >= 3;
  const thinks =
    speaks || version < 2.5 || (draws && version < 3)
      ? 'never'
      : version >= 3 || model.includes('pro')
        ? 'always'
        : 'unless-budget-0';
  return { signs, thinks, minimalLevel: signs && !(model.includes('flash') && version >= 3.7), draws, speaks };
}

export const GEMINI_MODELS = [
  'gemini-3-pro',
  'gemini-3.5-flash',
  'gemini-3-pro-image',
  'gemini-2.5-pro',
  'gemini-2.5-flash',
  'gemini-2.5-flash-image',
  'gemini-2.5-flash-preview-tts',
];
