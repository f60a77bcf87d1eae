/** What one turn of a conversation may use, before its vendor has said. */
import type { Usage } from '@model-gateway/contracts';
import type { ModelRow } from '../../catalogue.ts';
import type { Quote } from '../../paid/payment.ts';

/** Of the answer to one turn, where the session does not say less; some minutes of speech. */
const USUAL_OUTPUT = 4096;
/** Beyond what was sent: instructions of the vendor's, marks of roles, and the sound that comes while the turn lasts. */
const TEXT_AROUND = 512;
const SOUND_AROUND = 1200;
/** Where a row does not say what its model takes. */
const LARGEST_CONTEXT = 128_000;
const LARGEST_OUTPUT = 32_000;

/** What is known of a turn when money is set aside for it. */
export interface TurnOutlook {
  /** What the conversation has come to, as the vendor counted it last. */
  readonly contextTokens: number;
  /** Sent since then. */
  readonly textTokens: number;
  readonly audioTokens: number;
  /** The session's `max_output_tokens`; undefined: the model's own. */
  readonly mostOutput: number | undefined;
}

/** What is set aside for a turn, and what its vendor may report. */
export function quoteOfTurn(outlook: TurnOutlook, { limits }: Pick<ModelRow, 'limits'>): Quote {
  const { contextTokens, textTokens, audioTokens, mostOutput = USUAL_OUTPUT } = outlook;
  const context = limitOf(limits['max_input_tokens'], LARGEST_CONTEXT);
  const inputAudioTokens = Math.min(context, audioTokens + SOUND_AROUND);
  const inputTokens = Math.min(context, contextTokens + textTokens + TEXT_AROUND + inputAudioTokens);
  const outputTokens = Math.min(mostOutput, limitOf(limits['max_output_tokens'], LARGEST_OUTPUT));
  const most: Usage = { inputTokens, inputAudioTokens, outputTokens, outputAudioTokens: outputTokens };
  const longest = limitOf(limits['max_output_tokens'], LARGEST_OUTPUT);
  return {
    most,
    least: {
      inputTokens: Math.min(context, textTokens + audioTokens),
      inputAudioTokens: Math.min(context, audioTokens),
      outputTokens: 1,
    },
    // How much is said, and how long the answer gets, is known when it is over.
    bound: () => ({
      believed: { inputTokens: context, inputAudioTokens: context, outputTokens: longest, outputAudioTokens: longest },
      instead: most,
    }),
  };
}

function limitOf(value: unknown, otherwise: number): number {
  return typeof value === 'number' && value > 0 ? value : otherwise;
}
