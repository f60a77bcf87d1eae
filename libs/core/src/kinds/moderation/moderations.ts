/** Moderation: whether texts and pictures are harmful. */
import { GatewayError, isJsonObject, type Usage } from '@model-gateway/contracts';
import {
  malformedReply,
  type Generated,
  type ModerationCreate,
  type ModerationPart,
  type ModerationReply,
} from '@model-gateway/provider-kit';
import { mostTokensOf, tokensOfTexts } from '../../paid/token-estimates.ts';
import { newTrace, type Trace } from '../../paid/trace.ts';
import { answerWhole, type WholeCall, type WholeKind, type WholeParts } from '../../paid/whole-answer.ts';

export type ModerationCall = WholeCall<ModerationCreate>;
export interface Moderations {
  /** One result for each text, or one for all parts. Throws GatewayError; nothing is charged then. */
  moderate(call: ModerationCall, trace?: Trace): Promise<Generated<ModerationReply>>;
}

/** What a picture counts as, where a model is paid by the token and its vendor reports nothing. */
const TOKENS_PER_PICTURE = 1000;

const MODERATION: WholeKind<ModerationCreate, ModerationReply> = {
  mostOf: mostOfModeration,
  factsOf({ input }) {
    const { texts, pictures } = contentOf(input);
    return { text: texts.join('\n'), inputs: new Set(pictures > 0 ? (['image'] as const) : []) };
  },
  async ask({ moderations }, upstream, input) {
    if (moderations === undefined) throw new GatewayError('internal', 'the offer’s vendor does not moderate');
    const reply = await moderations.moderate(input, upstream);
    checkResults(reply, input);
    return reply;
  },
  // Where nothing is paid by the token there is nothing to estimate.
  used: (reported, input, { price }) =>
    reported.inputTokens === undefined && (price.input ?? 0) > 0 ? estimated(input) : reported,
};

/** Makes the moderation side of a gateway. */
export function createModerations(parts: WholeParts): Moderations {
  return { moderate: (call, trace = newTrace()) => answerWhole(parts, MODERATION, call, trace) };
}

/** The most tokens that it can have. */
export function mostOfModeration({ input }: ModerationCreate): Usage {
  const { texts, pictures } = contentOf(input);
  const inTexts = texts.reduce((sum, text) => sum + mostTokensOf(text, undefined), 0);
  return { inputTokens: inTexts + pictures * TOKENS_PER_PICTURE };
}

function estimated({ input }: ModerationCreate): Usage {
  const { texts, pictures } = contentOf(input);
  return { inputTokens: tokensOfTexts(texts) + pictures * TOKENS_PER_PICTURE, estimated: true };
}

function contentOf(input: readonly (string | ModerationPart)[]): { texts: readonly string[]; pictures: number } {
  const texts = input.flatMap((each) => (typeof each === 'string' ? each : (each.text ?? [])));
  return { texts, pictures: input.length - texts.length };
}

function checkResults({ results }: ModerationReply, { results: wanted }: ModerationCreate): void {
  if (results.length !== wanted)
    throw malformedReply(`it has ${results.length} results where there should be ${wanted}`);
  // Some servers tell the categories alone.
  if (results.some(({ flagged, categories }) => typeof flagged !== 'boolean' && !isJsonObject(categories)))
    throw malformedReply('a result of it does not say whether it is flagged');
}
