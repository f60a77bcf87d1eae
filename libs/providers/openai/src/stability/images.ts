import { type Json, type JsonObject, type Usage } from '@model-gateway/contracts';
import {
  defined,
  imageCount,
  IMAGE_SECONDS,
  inputOfPicture,
  joinedReplies,
  malformedReply,
  pictureFrom,
  repeatedly,
  stabilityFields,
  textAt,
  type FormPart,
  type ImageAdapter,
  type ImageCreate,
  type ImageReply,
  type Upstream,
} from '@model-gateway/provider-kit';
import { fieldParts } from '../images.ts';
import { sourceParts, sourcesToFetch, type SourceForm } from '../vendor-forms.ts';

const MOST_PICTURES = 10;
const GENERATE = '/v2beta/stable-image/generate';
const FORM: SourceForm = {
  limits: { maxBytes: 10 * 1024 * 1024, types: ['image/png', 'image/jpeg', 'image/webp'] },
  changed: 'white',
};
const KNOWN = new Set(['negative_prompt', 'aspect_ratio', 'style_preset', 'strength', 'cfg_scale', 'grow_mask']);

/** What the models can do by their names (docs/wire/stability.md#models). */
interface Abilities {
  readonly path: string;
  /** Sent as `model`. */
  readonly isNamed: boolean;
  readonly startsFrom: 'nothing' | 'a picture if given' | 'a picture and its mask';
  readonly square: string;
  readonly formats: readonly string[];
}

function abilitiesOf(name: string): Abilities {
  const model = name.replace(/^stable-image-/, '');
  const formats = ['png', 'jpeg', 'webp'];
  const square = '1024x1024';
  if (model === 'inpaint')
    return {
      path: '/v2beta/stable-image/edit/inpaint',
      isNamed: false,
      startsFrom: 'a picture and its mask',
      square,
      formats,
    };
  if (model === 'core')
    return { path: `${GENERATE}/core`, isNamed: false, startsFrom: 'nothing', square: '1536x1536', formats };
  if (model === 'ultra')
    return { path: `${GENERATE}/ultra`, isNamed: false, startsFrom: 'a picture if given', square, formats };
  return {
    path: `${GENERATE}/sd3`,
    isNamed: true,
    startsFrom: 'a picture if given',
    square,
    formats: ['png', 'jpeg'],
  };
}

/** A form and one picture of base64 for an answer; several pictures are several requests. */
export const images: ImageAdapter = {
  media: (input) => sourcesToFetch(input, FORM.limits),

  async generate(input, upstream) {
    const count = imageCount(input, MOST_PICTURES);
    const able = abilitiesOf(upstream.model);
    const { fields, dropped } = toStability(input, upstream.model, able);
    const sources = await sourceParts(input, upstream, FORM);
    const replies = await repeatedly(count, (index) => {
      const own = defined({ seed: inputOfPicture(input, index).seed });
      return drawn(upstream, able.path, [...fieldParts({ ...fields, ...own }), ...sources]);
    });
    return { ...joinedReplies(replies), dropped };
  },
};

async function drawn(
  upstream: Upstream,
  path: string,
  form: readonly FormPart[],
): Promise<ImageReply & { readonly usage: Usage }> {
  const { json } = await upstream.send({
    method: 'POST',
    path,
    headers: { accept: 'application/json' },
    form,
    firstByteSeconds: IMAGE_SECONDS,
  });
  return fromStability(json);
}

/** Throws `upstream_malformed` when it holds no picture. */
export function fromStability(json: Json | undefined): ImageReply & { readonly usage: Usage } {
  const base64 = textAt(json, 'image');
  if (base64 === undefined) throw malformedReply('it holds no picture');
  return { files: [pictureFrom(base64)], usage: { images: 1 } };
}

/** The form's fields but the seed. */
export function toStability(
  input: ImageCreate,
  model: string,
  able: Abilities = abilitiesOf(model),
): { readonly fields: JsonObject; readonly dropped: readonly string[] } {
  const { fields, dropped } = stabilityFields(input, { ...able, keepsSize: able.isNamed, known: KNOWN });
  return {
    fields: {
      ...fields,
      ...defined({
        model: able.isNamed ? model : undefined,
        mode: able.isNamed && input.images.length > 0 ? 'image-to-image' : undefined,
      }),
    },
    dropped,
  };
}
