/**
 * Subjects (reusable characters): reading the body in either spelling, and whose they are
 * (docs/service.md; docs/wire/tencent-vod.md#subjects).
 */
import { GatewayError, type Json, type JsonObject } from '@model-gateway/contracts';
import type { SubjectCreate } from '@model-gateway/provider-kit';
import type { SubjectRecord, SubjectStore, Tenant } from '../../ports.ts';
import { readAddress } from './shapes/address.ts';
import { given, objectFields, readFields, shown, wrong, type Fields } from './shapes/fields.ts';

const LONGEST_NAME = 20;
const LONGEST_DESCRIPTION = 100;
const MOST_OTHER_VIEWS = 3;

export interface SubjectBody {
  readonly model?: string;
  readonly draft: Omit<SubjectCreate, 'dedupeKey'>;
}

/** Reads a subject's body: snake_case with lists, or the vendor's capitals with lists as JSON text. 400 names the field. */
export function readSubjectBody(body: JsonObject): SubjectBody {
  const fields = readFields(body, { anyCase: true });
  // Ours alone: it must not reach the vendor.
  fields.take('callback_url');
  const model = fields.text('model');
  const referenceType = fields.requiredText('reference_type', 'image_refer or video_refer');
  if (referenceType !== 'image_refer' && referenceType !== 'video_refer') {
    throw wrong(fields.path('reference_type'), `must be image_refer or video_refer; it is ${shown(referenceType)}`);
  }
  const images = readImages(fields, referenceType);
  const videos = readVideos(fields, referenceType);
  return {
    ...given({ model }),
    draft: {
      name: bounded(fields, 'element_name', LONGEST_NAME),
      description: bounded(fields, 'element_description', LONGEST_DESCRIPTION),
      referenceType,
      ...images,
      referVideos: videos,
      ...given({ voiceId: fields.text('element_voice_id') }),
      tags: readTags(fields),
      extra: fields.rest(),
    },
  };
}

function bounded(fields: Fields, name: string, most: number): string {
  const text = fields.requiredText(name, `text of at most ${most} characters`);
  // Characters, not code units: the vendor counts a Chinese name by its signs.
  const length = Array.from(text).length;
  if (length > most) throw wrong(fields.path(name), `must have at most ${most} characters; it has ${length}`);
  return text;
}

/** A member that may be an object or list, or the same as JSON text. */
function decoded(fields: Fields, name: string): Json | undefined {
  const value = fields.take(name);
  if (typeof value !== 'string' || value === '') return value === '' ? undefined : value;
  try {
    return JSON.parse(value) as Json;
  } catch {
    throw wrong(fields.path(name), 'must be JSON text, or the list itself');
  }
}

function readImages(
  fields: Fields,
  referenceType: string,
): Pick<SubjectCreate, 'referImages'> & { readonly frontalImage?: string } {
  const path = fields.path('element_image_list');
  const value = decoded(fields, 'element_image_list');
  if (referenceType === 'video_refer') {
    if (value !== undefined) throw wrong(path, 'is for image_refer; this subject is made from a video');
    return { referImages: [] };
  }
  if (value === undefined)
    throw wrong(path, "is required: { frontal_image: 'https://…', refer_images: [{ image_url }] }");
  const list = objectFields(value, path);
  const frontal = list.path('frontal_image');
  const frontalImage = readAddress(list.take('frontal_image'), frontal, {}).url;
  const referImages = (list.list('refer_images') ?? []).map((item) => {
    const holder = objectFields(item.value, item.path);
    return readAddress(holder.take('image_url'), holder.path('image_url'), {}).url;
  });
  if (referImages.length < 1 || referImages.length > MOST_OTHER_VIEWS) {
    throw wrong(
      list.path('refer_images'),
      `must hold 1 to ${MOST_OTHER_VIEWS} other views; it holds ${referImages.length}`,
    );
  }
  return { frontalImage, referImages };
}

function readVideos(fields: Fields, referenceType: string): string[] {
  const path = fields.path('element_video_list');
  const value = decoded(fields, 'element_video_list');
  if (referenceType === 'image_refer') {
    if (value !== undefined) throw wrong(path, 'is for video_refer; this subject is made from images');
    return [];
  }
  if (value === undefined) throw wrong(path, "is required: { refer_videos: [{ video_url: 'https://…' }] }");
  const list = objectFields(value, path);
  const videos = (list.list('refer_videos') ?? []).map((item) => {
    const holder = objectFields(item.value, item.path);
    return readAddress(holder.take('video_url'), holder.path('video_url'), {}).url;
  });
  if (videos.length !== 1)
    throw wrong(list.path('refer_videos'), `must hold exactly 1 video; it holds ${videos.length}`);
  return videos;
}

function readTags(fields: Fields): string[] {
  const path = fields.path('tag_list');
  const value = decoded(fields, 'tag_list');
  if (value === undefined) return [];
  if (!Array.isArray(value)) throw wrong(path, `must be a list of { tag_id }; it is ${shown(value)}`);
  return value.map((item, index) =>
    objectFields(item, `${path}[${index}]`).requiredText('tag_id', 'a label such as o_102'),
  );
}

// ---- whose -------------------------------------------------------------------------------------------------------

/**
 * Checks that the caller may use these subjects and finds the accounts they live in. A subject of another owner is refused as if it did
 * not exist; ids that no one made here (an operator's own, presets) are anybody's.
 */
export async function checkSubjects(
  subjects: SubjectStore,
  ids: readonly string[],
  tenant: Tenant,
): Promise<readonly SubjectRecord[]> {
  if (ids.length === 0) return [];
  const { own, foreign } = await subjects.find(tenant, ids);
  const at = ids.findIndex((id) => foreign.includes(id));
  if (at !== -1) {
    throw new GatewayError('invalid_request', `subject_infos[${at}].Id is not one of your subjects`, {
      param: `subject_infos[${at}].Id`,
    });
  }
  return own;
}

/** The neutral input of a subject as it is kept with the task. */
export function storedSubject(draft: SubjectBody['draft']): JsonObject {
  const { name, description, referenceType } = draft;
  return { family: 'subject', name, description, referenceType };
}
