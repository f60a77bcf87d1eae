/**
 * Family A (body shape `content`): an ordered list of texts, images, videos and audios
 * (docs/service.md#post-v1videogenerations-for-video_family_a_fast_model; docs/wire/ark.md#content-items).
 */
import type { Json, JsonObject } from '@model-gateway/contracts';
import type { VideoCreate, VideoInput } from '@model-gateway/provider-kit';
import { readAddress, type AddressForms } from './address.ts';
import { given, objectFields, readFields, shown, wrong, type Fields } from './fields.ts';
import type { ShapeReader } from './shape.ts';

const FORMS: AddressForms = { asset: true, dataUrl: true, bareBase64: true };
const IMAGE_ROLES = ['first_frame', 'last_frame', 'reference_image'] as const;
const TYPES = ['text', 'image_url', 'video_url', 'audio_url', 'draft_task'] as const;
/** The only role a clip can have; the vendor asks for it all the same. */
const CLIP_ROLES: Readonly<Record<string, string>> = { video_url: 'reference_video', audio_url: 'reference_audio' };
const MOST_IMAGES = 9;
const MOST_CLIPS = 3;

type Role = VideoCreate['images'][number]['role'];
interface Image {
  readonly url: string;
  readonly path: string;
  /** Index in `content`. */
  readonly at: number;
  role: Role | undefined;
}

interface Collected {
  readonly texts: string[];
  readonly images: Image[];
  readonly videos: VideoInput<'reference'>[];
  readonly audios: VideoInput<'reference'>[];
  drafts: number;
}

/** Reads the body of family A. Roles that follow from the items are written out: the vendor does not guess. */
export const readContentBody: ShapeReader = (body) => {
  const fields = readFields(body);
  fields.take('model');
  const items = fields.list('content');
  if (items === undefined || items.length === 0) {
    throw wrong('content', "is required: a list of items, as in [{ type: 'text', text: 'A paper boat' }]");
  }
  const found: Collected = { texts: [], images: [], videos: [], audios: [], drafts: 0 };
  const content: Json[] = items.map(({ value, path }, at) => {
    const item = objectFields(value, path);
    readItem(item, path, at, found);
    const role = CLIP_ROLES[item.text('type') ?? ''];
    return role === undefined ? value : withRole(value, role);
  });
  assignRoles(found);
  checkCounts(found);
  for (const { at, role } of found.images) content[at] = withRole(content[at], roleWord(role));

  const prompt = found.texts.join('\n');
  return {
    shape: 'content',
    body: { ...body, content },
    ...(prompt !== '' && { prompt }),
    images: found.images.map(({ url, path, role }) => ({
      role: role ?? 'reference',
      url,
      param: `${path}.image_url.url`,
    })),
    videos: found.videos,
    audios: found.audios,
    subjects: [],
    ...given({
      duration: fields.integer('duration'),
      ratio: fields.text('ratio'),
      resolution: fields.text('resolution'),
      seed: fields.integer('seed', { min: -1, max: 4_294_967_295 }),
      watermark: fields.flag('watermark'),
      audio: fields.flag('generate_audio'),
    }),
    extra: fields.rest(),
  };
};

function readItem(item: Fields, path: string, at: number, found: Collected): void {
  const type = item.text('type');
  switch (type) {
    case 'text':
      found.texts.push(item.requiredText('text', 'what should be seen'));
      return;
    case 'image_url':
      found.images.push({ url: urlOf(item, 'image_url'), path, at, role: imageRole(item) });
      return;
    case 'video_url':
      checkRole(item, 'reference_video');
      found.videos.push({ role: 'reference', url: urlOf(item, 'video_url'), param: `${path}.video_url.url` });
      return;
    case 'audio_url':
      checkRole(item, 'reference_audio');
      found.audios.push({ role: 'reference', url: urlOf(item, 'audio_url'), param: `${path}.audio_url.url` });
      return;
    case 'draft_task':
      item.object('draft_task')?.requiredText('id', "the vendor's id of the draft");
      found.drafts++;
      return;
    default:
      throw wrong(
        item.path('type'),
        `must be one of ${TYPES.join(', ')}; it is ${type === undefined ? 'missing' : shown(type)}`,
      );
  }
}

function urlOf(item: Fields, name: string): string {
  const holder = item.object(name);
  if (holder === undefined) throw wrong(item.path(name), "is required: an object as in { url: 'https://…' }");
  return readAddress(holder.take('url'), holder.path('url'), FORMS).url;
}

function imageRole(item: Fields): Role | undefined {
  const role = item.text('role');
  if (role === undefined) return undefined;
  if (role === 'reference_image') return 'reference';
  if (role === 'first_frame' || role === 'last_frame') return role;
  throw wrong(item.path('role'), `must be one of ${IMAGE_ROLES.join(', ')} for an image; it is ${shown(role)}`);
}

function checkRole(item: Fields, only: string): void {
  const role = item.text('role');
  if (role !== undefined && role !== only) {
    throw wrong(item.path('role'), `must be ${only} here; it is ${shown(role)}`);
  }
}

/** Images without a role: references beside other references; else one is the first frame, two are first and last, more are references. */
function assignRoles({ images, videos, audios }: Collected): void {
  const open = images.filter(({ role }) => role === undefined);
  if (open.length === 0) return;
  const explicit = new Set(images.map(({ role }) => role));
  const references =
    videos.length > 0 ||
    audios.length > 0 ||
    explicit.has('reference') ||
    (images.length > 2 && open.length === images.length);
  for (const image of open) {
    if (references) image.role = 'reference';
    else if (!explicit.has('first_frame')) image.role = 'first_frame';
    else image.role = 'last_frame';
    explicit.add(image.role);
  }
}

function checkCounts({ texts, images, videos, audios, drafts }: Collected): void {
  const having = (role: Role): Image[] => images.filter((image) => image.role === role);
  const first = having('first_frame');
  const last = having('last_frame');
  const references = having('reference');
  const frame = first[0] ?? last[0];
  const extraFrame = first[1] ?? last[1];
  if (extraFrame !== undefined) {
    throw wrong(
      `${extraFrame.path}.role`,
      `must not name a second ${roleWord(extraFrame.role)}: first-frame mode takes 1 image, first-last-frame mode 2, ` +
        `and with more images each is a reference_image (this body has ${images.length} images)`,
    );
  }
  if (frame !== undefined && (references.length > 0 || videos.length > 0 || audios.length > 0)) {
    throw wrong(
      `${frame.path}.role`,
      `is ${roleWord(frame.role)}, which cannot be combined with reference images, videos or audios: first-frame, first-last-frame and reference mode exclude each other`,
    );
  }
  if (last[0] !== undefined && first.length === 0) {
    throw wrong(`${last[0].path}.role`, 'is last_frame, which needs a first_frame beside it');
  }
  atMost(references.length, MOST_IMAGES, 'reference images', references[MOST_IMAGES]?.path);
  atMost(videos.length, MOST_CLIPS, 'video clips', videos[MOST_CLIPS]?.param);
  atMost(audios.length, MOST_CLIPS, 'audio clips', audios[MOST_CLIPS]?.param);
  if (audios[0] !== undefined && images.length === 0 && videos.length === 0) {
    throw wrong(audios[0].param, 'needs an image or a video beside it: a reference audio cannot stand alone');
  }
  if (texts.length + images.length + videos.length + drafts === 0) {
    throw wrong('content', 'must hold a text, an image or a video');
  }
}

function atMost(count: number, most: number, what: string, path = 'content'): void {
  if (count > most) throw wrong(path, `is one too many: at most ${most} ${what} are taken; there are ${count}`);
}

function roleWord(role: Role | undefined): string {
  return role === undefined || role === 'reference' ? 'reference_image' : role;
}

function withRole(item: Json | undefined, role: string): Json {
  return { ...(item as JsonObject), role };
}
