/** Image models: text and pictures in, pictures out. */
import type { JsonObject } from '@model-gateway/contracts';
import type { ImageCreate } from '@model-gateway/provider-kit';
import type { ModelRow } from '../../catalogue.ts';
import type { KindModule, Quoted } from '../../kind-module.ts';
import { VARIATION } from './edit-body.ts';
import { mostOfImages, sizeClass } from './expected.ts';
import { decodeImageBody } from './image-body.ts';
import { readPredictBody } from './predict-body.ts';

export { MOST_EDIT_IMAGES, readEditBody, readEditForm, readVariationForm } from './edit-body.ts';
export { decodeImageBody } from './image-body.ts';
export { readPredictBody } from './predict-body.ts';
export type { ImageEvent } from './image-stream.ts';
export { createImages, type ImageCall, type Images, type MadeImages } from './images.ts';
export type { Picture } from './present.ts';
export { imageTexts } from './texts.ts';

const quoted = (input: ImageCreate, row: ModelRow): Quoted => ({
  usage: mostOfImages(input, row),
  factors: { resolution: sizeClass(input.size) },
});

/** An edit has at least one picture, which a form sends as a file: it is not among the text fields. */
function quoteEdit(body: JsonObject, row: ModelRow): Quoted {
  const { images: given, mask, image: _image, ...rest } = body;
  const count = Array.isArray(given) ? Math.max(1, given.length) : 1;
  const images = Array.from({ length: count }, () => ({ url: '', param: 'image' }));
  return quoted(
    { ...decodeImageBody(rest, row), images, ...(mask !== undefined && { mask: { url: '', param: 'mask' } }) },
    row,
  );
}

const quotePredict = (body: JsonObject, row: ModelRow): Quoted => quoted(readPredictBody(body, row).input, row);

export const imageKind: KindModule = {
  name: 'image',
  called: 'an image model',
  capability: 'images',
  likelyNames: /image|dall-e|flux|imagen|ideogram|recraft|stable-diffusion|\bsd3/i,
  rows: { image: { bodies: ['prompt', 'messages'], pricedBy: ['image'] }, 'image-edit': { pricedBy: ['image'] } },
  inputs: ['image'],
  answersAtOnce: true,
  isGuarded: true,
  describe: (row) =>
    row.kind === 'image'
      ? { operations: ['createImage', 'editImage', 'generateImages'], formats: [row.imageShape ?? 'prompt'] }
      : // Editing by form, and drawing by the prompt alone.
        { operations: ['editImage', 'createImage', 'generateImages'], formats: ['multipart', 'prompt'] },
  quote: {
    createImage: (body, row) => quoted(decodeImageBody(body, row), row),
    editImage: quoteEdit,
    createImageVariation: (body, row) => quoteEdit({ ...body, prompt: VARIATION }, row),
    generateImages: quotePredict,
    generateImagesV1: quotePredict,
    generateImagesVertex: quotePredict,
  },
};
