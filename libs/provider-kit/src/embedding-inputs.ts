/** What adapters of embeddings ask of the inputs that they are given, and of the vectors that come back. */
import { GatewayError, type Json } from '@model-gateway/contracts';
import type { Upstream } from './adapter.ts';
import type { EmbeddingCreate, EmbeddingInput, EmbeddingPart, Vector } from './embedding-adapter.ts';
import { malformedReply } from './vendor-task.ts';

/** Texts of one call at most: the offer's own, else the vendor's. */
export function mostInputsOf({ quirks }: Pick<Upstream, 'quirks'>, usual: number): number {
  const said = quirks['max_inputs'];
  return typeof said === 'number' ? said : usual;
}

/** Throws where token ids were given to a vendor that knows texts only. */
export function refuseTokens({ inputs }: EmbeddingCreate): void {
  const tokens = inputs.find(({ content }) => typeof content !== 'string');
  if (tokens === undefined) return;
  throw new GatewayError(
    'invalid_request',
    `${tokens.param}: this model’s vendor takes texts, not token ids; send the text itself`,
    { param: tokens.param },
  );
}

/** Throws where there is something else than text, for a vendor that knows texts only. */
export function refuseMedia({ inputs }: Pick<EmbeddingCreate, 'inputs'>): void {
  const [part] = inputs.flatMap(({ media = [] }) => media);
  if (part === undefined) return;
  throw new GatewayError('invalid_request', `${part.param}: this model’s vendor makes embeddings of texts only`, {
    param: part.param,
  });
}

/** The length of all vectors. Throws where inputs say different ones: one answer of this vendor's has vectors of one length. */
export function oneDimension({
  inputs,
  dimensions,
}: Pick<EmbeddingCreate, 'inputs' | 'dimensions'>): number | undefined {
  const other = inputs.find((input) => input.dimensions !== inputs[0]?.dimensions);
  if (other === undefined) return dimensions;
  const param = other.param.replace(/content$/, 'outputDimensionality');
  throw new GatewayError(
    'invalid_request',
    `${param}: must be the same in all requests: one answer has vectors of one length`,
    { param },
  );
}

/** The pieces of an input: a text alone, or texts and pictures. Throws where it has something else. */
export function partsOf(input: EmbeddingInput): readonly EmbeddingPart[] {
  const { content, media = [], parts, param } = input;
  if (parts !== undefined) return parts;
  if (typeof content !== 'string' || media.length > 0) {
    const at = media[0]?.param ?? param;
    throw new GatewayError('invalid_request', `${at}: this model’s vendor makes embeddings of texts and images only`, {
      param: at,
    });
  }
  return [{ text: content }];
}

/** Throws for pictures behind an address, for a vendor that takes them in the request alone. */
export function refuseAddresses({ inputs }: Pick<EmbeddingCreate, 'inputs'>): void {
  const remote = inputs.find(({ parts = [] }) =>
    parts.some((part) => 'image' in part && !part.image.startsWith('data:')),
  );
  if (remote === undefined) return;
  const message = `${remote.param}: this model’s vendor fetches no pictures; send them as data: URLs`;
  throw new GatewayError('invalid_request', message, { param: remote.param });
}

/** A vector as it was answered; what is none is told when vectors are checked. */
export function vectorOf(value: Json | undefined): Vector {
  if (typeof value === 'string') return value;
  if (Array.isArray(value)) return value as readonly number[];
  throw malformedReply('a vector of it is none');
}
