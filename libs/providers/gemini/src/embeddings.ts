import {
  droppedOnOwnWire,
  EMBEDDING_QUIRKS,
  inCalls,
  listAt,
  mostInputsOf,
  numberAt,
  partsOf,
  readDataUrl,
  refuseAddresses,
  refuseMedia,
  refuseTokens,
  settingsIn,
  textAt,
  usageOf,
  valueAt,
  vectorOf,
  type EmbeddingAdapter,
  type EmbeddingInput,
  type EmbeddingPurpose,
  type EmbeddingWords,
} from '@model-gateway/provider-kit';
import { isJsonObject, type Json, type JsonObject } from '@model-gateway/contracts';
import { modelPath } from './chat.ts';

/** Contents of one batch (docs/wire/embeddings.md#gemini). */
const MOST_INPUTS = 100;

export const quirks = EMBEDDING_QUIRKS;

/** Google's words for what vectors are for. */
export const TASK_TYPES: Readonly<Record<EmbeddingPurpose, string>> = {
  query: 'RETRIEVAL_QUERY',
  document: 'RETRIEVAL_DOCUMENT',
  similarity: 'SEMANTIC_SIMILARITY',
  classification: 'CLASSIFICATION',
  clustering: 'CLUSTERING',
  question: 'QUESTION_ANSWERING',
  fact: 'FACT_VERIFICATION',
  code: 'CODE_RETRIEVAL_QUERY',
};
/** Models that read the texts alone of what they are given. */
const READS_TEXTS = /gemini-embedding-(?:001|exp)|text-embedding/;
const WORDS: EmbeddingWords = {
  dimensions: 'outputDimensionality',
  purpose: { name: 'taskType', values: TASK_TYPES },
};

/** embedContent and batchEmbedContents as they came; texts in OpenAI's form as a batch, one too: it is what Google's own SDK asks (docs/wire/embeddings.md#gemini). */
export const embeddings: EmbeddingAdapter = {
  async embed(input, upstream) {
    refuseTokens(input);
    if (input.shape !== 'contents') {
      if (READS_TEXTS.test(upstream.model)) refuseMedia(input);
      refuseAddresses(input);
    }
    const own = input.shape === 'contents' ? undefined : settingsIn(WORDS, input);
    const { model, account } = upstream;
    const pathOf = (verb: string): string => modelPath(model, verb, account.settings);
    const name = model.includes('/') ? model : `models/${model}`;
    if (input.shape === 'contents' && !('requests' in input.body)) {
      // The path names the model; where the request does, too, they must agree.
      const json = 'model' in input.body ? { ...input.body, model: name } : input.body;
      const reply = await upstream.send({ method: 'POST', path: pathOf('embedContent'), json });
      const answer = answeredOf(reply.json, [valueAt(reply.json, 'embedding') ?? null]);
      return { ...answer, dropped: [] };
    }
    const batch = input.shape === 'contents' ? input.body : {};
    const answer = await inCalls(input, mostInputsOf(upstream, MOST_INPUTS), async (some) => {
      const requests = some.map((each) =>
        own === undefined ? { ...each.body, model: name } : { ...own.settings, model: name, content: contentOf(each) },
      );
      const reply = await upstream.send({
        method: 'POST',
        path: pathOf('batchEmbedContents'),
        json: { ...batch, requests },
      });
      return answeredOf(reply.json, listAt(reply.json, 'embeddings'));
    });
    if (own === undefined) return { ...answer, dropped: [] };
    const { vectors, usage } = answer;
    return { vectors, usage, dropped: [...own.dropped, ...droppedOnOwnWire(input)] };
  },
};

function answeredOf(json: Json | undefined, items: readonly Json[]) {
  return {
    vectors: items.map((each) => vectorOf(valueAt(each, 'values'))),
    usage: usageOf({
      inputTokens: numberAt(json, 'usageMetadata', 'promptTokenCount'),
      inputImageTokens: tokensOf(json, 'IMAGE'),
      inputAudioTokens: tokensOf(json, 'AUDIO'),
    }),
    answer: {
      body: isJsonObject(json) ? json : {},
      items: items.filter(isJsonObject).map((each) => without(each, 'values')),
    },
  };
}

function tokensOf(json: Json | undefined, modality: string): number | undefined {
  const details = listAt(json, 'usageMetadata', 'promptTokensDetails');
  return numberAt(
    details.find((each) => textAt(each, 'modality') === modality),
    'tokenCount',
  );
}

function without(request: JsonObject, name: string): JsonObject {
  return Object.fromEntries(Object.entries(request).filter(([each]) => each !== name));
}

/** An input of another form. */
function contentOf(input: EmbeddingInput): JsonObject {
  const parts = partsOf(input).map((part): JsonObject => {
    if ('text' in part) return { text: part.text };
    const { mime, base64 } = readDataUrl(part.image, input.param) ?? { mime: '', base64: '' };
    return { inlineData: { mimeType: mime, data: base64 } };
  });
  return { parts };
}
