import { GatewayError, type Json, type JsonObject, type Usage } from '@model-gateway/contracts';
import {
  addUsage,
  embeddedImage,
  imageCount,
  IMAGE_SECONDS,
  listAt,
  malformedReply,
  numberAt,
  objectAt,
  pictureFrom,
  picturesToFetch,
  repeatedly,
  StreamedFiles,
  textAt,
  usageOf,
  type ImageAdapter,
  type ImageReply,
} from '@model-gateway/provider-kit';
import { modelPath } from './chat.ts';
import { toGeminiImage } from './image-request.ts';

const MOST_PICTURES = 10;
const PICTURES = {
  maxBytes: 20 * 1024 * 1024,
  types: ['image/png', 'image/jpeg', 'image/webp', 'image/heic', 'image/heif'],
} as const;
/** Ends that say the picture was withheld (docs/wire/images.md#gemini-images). */
const WITHHELD = /SAFETY|PROHIBITED_CONTENT|RECITATION|BLOCKLIST|SPII/;

/** Gemini's image models through generateContent; several pictures are several requests. */
export const images: ImageAdapter = {
  media: (input) => picturesToFetch(input.images, PICTURES),

  async generate(input, upstream) {
    const count = imageCount(input, MOST_PICTURES);
    const files = new StreamedFiles();
    const how = { upstream, limits: PICTURES, files };
    const pictures = await Promise.all(input.images.map((image) => embeddedImage(image, how)));
    const { body, dropped } = toGeminiImage(input, upstream, pictures);
    const path = modelPath(upstream.model, 'generateContent', upstream.account.settings);
    const replies = await repeatedly(count, async () => {
      const { json } = await upstream.send({
        method: 'POST',
        path,
        ...files.body(body),
        firstByteSeconds: IMAGE_SECONDS,
      });
      return fromGeminiImage(json);
    });
    const answers = replies.filter((reply) => 'files' in reply);
    const vendorUsage = answers.length === 1 ? answers[0]?.vendorUsage : undefined;
    return {
      files: replies.flatMap((reply) => ('files' in reply ? reply.files : [reply])),
      usage: addUsage(answers.map(({ usage }) => usage)),
      ...(vendorUsage !== undefined && { vendorUsage }),
      dropped,
    };
  },
};

/** The pictures among the parts; drafts of a thinking model (`thought: true`) are not results. */
export function fromGeminiImage(json: Json | undefined): ImageReply & { readonly usage: Usage } {
  if (objectAt(json) === undefined) throw malformedReply('it is no JSON object');
  const files = listAt(json, 'candidates')
    .flatMap((candidate) => listAt(candidate, 'content', 'parts'))
    .filter((part) => !isThought(part))
    .map((part) => textAt(part, 'inlineData', 'data') ?? textAt(part, 'inline_data', 'data'))
    .filter((data) => data !== undefined)
    .map(pictureFrom);
  if (files.length === 0) throw noPicture(json);
  const vendorUsage = objectAt(json, 'usageMetadata');
  return {
    files,
    usage: { ...tokensOf(vendorUsage), images: files.length },
    ...(vendorUsage !== undefined && { vendorUsage }),
  };
}

function isThought(part: Json): boolean {
  return objectAt(part)?.['thought'] === true;
}

function noPicture(json: Json | undefined): GatewayError {
  const blocked = textAt(json, 'promptFeedback', 'blockReason');
  if (blocked !== undefined) return refused('the prompt', blocked);
  const reason = textAt(json, 'candidates', 0, 'finishReason');
  if (reason !== undefined && WITHHELD.test(reason)) return refused('the picture', reason);
  const said = reason === undefined ? 'no reason' : reason;
  return new GatewayError('upstream_malformed', `the vendor answered without a picture (${said})`, {
    taken: 'unknown',
    ...(reason !== undefined && { vendorCode: reason }),
  });
}

function refused(what: string, vendorCode: string): GatewayError {
  return new GatewayError('content_refused', `the vendor’s content rules refused ${what} (${vendorCode})`, {
    vendorCode,
  });
}

function tokensOf(usage: JsonObject | undefined): Usage {
  const candidates = numberAt(usage, 'candidatesTokenCount');
  const thoughts = numberAt(usage, 'thoughtsTokenCount');
  const prompt = numberAt(usage, 'promptTokenCount');
  const tools = numberAt(usage, 'toolUsePromptTokenCount');
  return usageOf({
    // Google counts what its tools read apart from the prompt, and thoughts apart from the answer; ours include them.
    inputTokens: prompt === undefined ? undefined : prompt + (tools ?? 0),
    cachedInputTokens: numberAt(usage, 'cachedContentTokenCount'),
    inputImageTokens: ofModality(usage, 'promptTokensDetails'),
    outputTokens: candidates === undefined && thoughts === undefined ? undefined : (candidates ?? 0) + (thoughts ?? 0),
    reasoningTokens: thoughts,
    outputImageTokens: ofModality(usage, 'candidatesTokensDetails'),
    toolPromptTokens: tools,
  });
}

function ofModality(usage: JsonObject | undefined, field: string): number | undefined {
  const entry = listAt(usage, field).find((detail) => textAt(detail, 'modality') === 'IMAGE');
  return numberAt(entry, 'tokenCount');
}
