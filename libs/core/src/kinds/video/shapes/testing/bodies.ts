/** Bodies of video requests and what is read from them, for the tests of the shapes. */
import { expect } from 'vitest';
import { GatewayError, type Json, type JsonObject } from '@model-gateway/contracts';
import type { VideoShape } from '@model-gateway/provider-kit';
import type { ModelRow } from '../../../../catalogue.ts';
import { videoRow } from '../../../../tasks/testing/harness.ts';
import { readVideoBody, type VideoBody, type VideoEndpoint } from '../../video-body.ts';

export const LINK = 'https://media.example/a.png';
export const CLIP = 'https://media.example/v.mp4';
export const SOUND = 'https://media.example/s.mp3';
export const DATA = 'data:image/png;base64,iVBORw0KGgo=';

/** What a body asks of a model of this shape. */
export const read = (
  shape: VideoShape,
  body: JsonObject,
  limits: JsonObject = {},
  endpoint: VideoEndpoint = 'generations',
  price: ModelRow['price'] = {},
): VideoBody =>
  readVideoBody({ model: 'm', ...body }, videoRow({ code: 'm', videoShape: shape, limits, price }), endpoint);

/** How that body is refused: the field, and the words. */
export const refusal = (...args: Parameters<typeof read>): { param: string | undefined; message: string } => {
  try {
    read(...args);
  } catch (error) {
    if (!(error instanceof GatewayError)) throw error;
    expect(error.code).toBe('invalid_request');
    return { param: error.details.param, message: error.message };
  }
  throw new Error('it was accepted');
};
export const text: Json = { type: 'text', text: 'A paper boat' };
