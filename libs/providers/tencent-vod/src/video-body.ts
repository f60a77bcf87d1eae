/** The body of CreateAigcVideoTask from the caller's (docs/wire/tencent-vod.md#create, #what-is-passed-on). */
import { GatewayError, isJsonObject, type Json, type JsonObject } from '@model-gateway/contracts';
import {
  cannotTake,
  defined,
  frameIn,
  namesOfGiven,
  readDataUrl,
  refuseKinds,
  sortExtra,
  textAt,
  type VideoCreate,
} from '@model-gateway/provider-kit';
import { readVodModel, type VodModel } from './declared.ts';

export interface VodVideo {
  readonly body: JsonObject;
  readonly dropped: readonly string[];
}

/** Under OutputConfig; everything else stands at the top. */
const OUTPUT_FIELDS = new Set([
  'StorageMode',
  'Duration',
  'Resolution',
  'AspectRatio',
  'AudioGeneration',
  'PersonGeneration',
  'InputComplianceCheck',
  'OutputComplianceCheck',
  'EnhanceSwitch',
  'OffPeak',
  'FrameInterpolate',
  'LogoAdd',
  'EnableBGM',
  'MediaName',
  'ClassId',
  'ExpireTime',
]);
/** The gateway names these itself. */
const OURS = new Set(['SubAppId', 'ModelName', 'ModelVersion', 'SessionId', 'Model', 'CallbackUrl']);
/** What docs/wire/tencent-vod.md#what-is-passed-on calls otherwise than by its PascalCase name. */
const RENAMED: Readonly<Record<string, string>> = {
  size: 'Resolution',
  resolution: 'Resolution',
  enable_bgm: 'EnableBGM',
};
const TOP_FIELDS = [
  'SceneType',
  'Procedure',
  'TasksPriority',
  'ExtInfo',
  'SessionContext',
  'InputRegion',
  'EnhancePrompt',
];

/** The create's body without account, session and region. */
export function toVodVideo(input: VideoCreate, model: VodModel): VodVideo {
  const made = input.shape === 'omni' ? fromOwnShape(input.body) : fromForm(input, model);
  checkKling(made.body, model, input);
  const idle = withoutIdleRatio(made.body, input);
  return {
    body: { ModelName: model.name, ModelVersion: model.version, ...made.body },
    dropped: [...made.dropped, ...idle],
  };
}

// ---- the caller wrote this family's shape --------------------------------------------------------------------------

function fromOwnShape(body: JsonObject): { body: JsonObject; dropped: string[] } {
  const top: JsonObject = {};
  const output: JsonObject = {};
  const dropped: string[] = [];
  for (const [name, value] of Object.entries(body)) {
    if (name === 'model' || name === 'callback_url') continue;
    const field = RENAMED[name] ?? pascal(name);
    if (OURS.has(field)) dropped.push(name);
    else if (field === 'OutputConfig') Object.assign(output, pascalKeys(value));
    else if (field === 'FileInfos') top[field] = listOf(value).map((item) => embedded(pascalKeys(item), name));
    else if (field === 'SubjectInfos')
      top[field] = listOf(value).map((item, index) => subjectOf(item, `${name}[${index}].Id`));
    else if (OUTPUT_FIELDS.has(field)) output[field] = outputValue(field, value);
    else top[field] = value;
  }
  const lastFrame = top['LastFrameUrl'];
  if (typeof lastFrame === 'string') {
    const file = fileOf(lastFrame, { Category: 'Image', Usage: 'LastFrame' }, 'last_frame_url');
    if (file['Type'] === 'Base64') {
      Reflect.deleteProperty(top, 'LastFrameUrl');
      top['FileInfos'] = [...listOf(top['FileInfos']), file];
    }
  }
  if (Object.keys(output).length > 0) top['OutputConfig'] = output;
  return { body: top, dropped };
}

/** Switches are words there; a caller may say true. Classes are written with a capital letter. */
function outputValue(field: string, value: Json): Json {
  if (typeof value === 'boolean') return switched(value);
  return field === 'Resolution' && typeof value === 'string' ? value.toUpperCase() : value;
}

function subjectOf(item: Json, param: string): Json {
  const subject = typeof item === 'string' ? { Id: item } : pascalKeys(item);
  const id = subject['Id'];
  if (typeof id !== 'number') return subject;
  if (Number.isSafeInteger(id)) return { ...subject, Id: String(id) };
  throw new GatewayError('invalid_request', `${param} must be a string: a number of this size loses digits`, { param });
}

// ---- the caller wrote another shape --------------------------------------------------------------------------------

const KLING_FRAME = { resolutions: ['720P', '1080P', '4K'], ratios: ['16:9', '9:16', '1:1'] };
const OTHER_FRAME = {
  resolutions: ['720P', '768P', '1080P', '4K'],
  ratios: ['16:9', '9:16', '1:1', '4:3', '3:4', '21:9', '3:2', '2:3'],
};

function fromForm(input: VideoCreate, model: VodModel): { body: JsonObject; dropped: string[] } {
  refuseKinds(input, { audios: 'audio inputs' });
  const frame = frameIn(input, model.name === 'Kling' ? KLING_FRAME : OTHER_FRAME);
  const { passed, dropped } = sortExtra(input, new Set([...TOP_FIELDS, ...OUTPUT_FIELDS]));
  const output: JsonObject = {};
  const top: JsonObject = {};
  for (const [name, value] of Object.entries(passed)) (OUTPUT_FIELDS.has(name) ? output : top)[name] = value;
  const lastFrame = input.images.find(({ role }) => role === 'last_frame');
  const lastFrameUrl = lastFrame !== undefined && !lastFrame.url.startsWith('data:') ? lastFrame.url : undefined;
  const files = [
    ...input.images
      .filter((image) => lastFrameUrl === undefined || image !== lastFrame)
      .map(({ url, role, param }) => fileOf(url, { Category: 'Image', Usage: USAGES[role] }, param)),
    ...input.videos.map(({ url, role, param }) => {
      if (role === 'first_clip') throw cannotTake(param, 'video to continue');
      return fileOf(url, { Category: 'Video', ReferenceType: role === 'base' ? 'base' : 'feature' }, param);
    }),
  ];
  const config = {
    ...output,
    ...defined({
      Duration: input.duration,
      Resolution: frame.resolution,
      AspectRatio: frame.ratio,
      AudioGeneration: input.audio === undefined ? undefined : switched(input.audio),
    }),
  };
  return {
    body: {
      ...top,
      ...defined({
        Prompt: input.prompt,
        NegativePrompt: input.negativePrompt,
        Seed: input.seed,
        FileInfos: files.length > 0 ? files : undefined,
        LastFrameUrl: lastFrameUrl,
        SubjectInfos: input.subjects.length > 0 ? input.subjects.map((id) => ({ Id: id })) : undefined,
        OutputConfig: Object.keys(config).length > 0 ? config : undefined,
      }),
    },
    dropped: [...namesOfGiven(input, ['watermark']), ...frame.dropped, ...dropped],
  };
}

const USAGES = { first_frame: 'FirstFrame', last_frame: 'LastFrame', reference: 'Reference' } as const;

// ---- both ----------------------------------------------------------------------------------------------------------

function switched(on: boolean): string {
  return on ? 'Enabled' : 'Disabled';
}

/** A file by address, or in the body where the address is its content. */
function fileOf(url: string, about: JsonObject, param: string): JsonObject {
  if (url.startsWith('asset:')) throw cannotTake(param, 'asset:// identifiers');
  const media = readDataUrl(url, param);
  return media === undefined ? { Type: 'Url', Url: url, ...about } : { Type: 'Base64', Base64: media.base64, ...about };
}

/** Content where an address or bare base64 belongs goes where it belongs. */
function embedded(file: JsonObject, param: string): JsonObject {
  const url = textAt(file, 'Url') ?? textAt(file, 'Base64');
  const media = url === undefined ? undefined : readDataUrl(url, param);
  if (media === undefined) return file;
  const rest = Object.entries(file).filter(([name]) => name !== 'Url' && name !== 'Base64');
  return { ...Object.fromEntries(rest), Type: 'Base64', Base64: media.base64 };
}

/** Kling's own rules, which the vendor would answer in riddles (docs/wire/tencent-vod.md#what-is-passed-on). */
function checkKling(body: JsonObject, model: VodModel, input: VideoCreate): void {
  if (model.name !== 'Kling') return;
  const files = listOf(body['FileInfos']).map(pascalKeys);
  const video = files.findIndex(({ Category }) => Category === 'Video');
  const output = pascalKeys(body['OutputConfig'] ?? {});
  const own = input.shape === 'omni';
  const videoParam = own ? `file_infos[${video}]` : (input.videos[0]?.param ?? 'video');
  if (output['Resolution'] === '480P')
    throw klingRefuses(own ? 'size' : 'resolution', '480P is no size of this model; it makes 720P and 1080P');
  if (video >= 0 && output['AudioGeneration'] === 'Enabled') {
    throw klingRefuses(
      own ? 'audio_generation' : 'generate_audio',
      'sound cannot be made together with a reference video',
    );
  }
  if (isOmni(model)) return;
  if (video >= 0) throw cannotTake(videoParam, 'reference videos (its omni sibling does)');
  const reference = files.findIndex(({ Usage }) => Usage === 'Reference');
  if (reference >= 0) {
    const param = input.images.find(({ role }) => role === 'reference')?.param ?? `file_infos[${reference}]`;
    throw cannotTake(param, 'reference images (its omni sibling does)');
  }
  if (listOf(body['SubjectInfos']).length > 0) throw cannotTake('subject_infos', 'subjects (its omni sibling does)');
}

function klingRefuses(param: string, why: string): GatewayError {
  return new GatewayError('invalid_request', `${param}: ${why}`, { param });
}

/** With a first frame the picture decides the ratio: the vendor refuses one beside it, so it is taken out and named. */
function withoutIdleRatio(body: JsonObject, input: VideoCreate): string[] {
  const output = body['OutputConfig'];
  if (!isJsonObject(output) || output['AspectRatio'] === undefined) return [];
  const hasFirstFrame = listOf(body['FileInfos'])
    .map(pascalKeys)
    .some(
      ({ Category, Usage }) =>
        Category !== 'Video' && Category !== 'Audio' && (Usage === undefined || Usage === 'FirstFrame'),
    );
  if (!hasFirstFrame) return [];
  Reflect.deleteProperty(output, 'AspectRatio');
  if (Object.keys(output).length === 0) Reflect.deleteProperty(body, 'OutputConfig');
  return input.ratio === undefined && input.shape !== 'omni'
    ? []
    : [input.shape === 'content' ? 'ratio' : 'aspect_ratio'];
}

function listOf(value: Json | undefined): readonly Json[] {
  return Array.isArray(value) ? value : [];
}

/** An object's keys as Tencent writes them: `file_id` and `FileId` are both FileId. */
function pascalKeys(value: Json): JsonObject {
  if (!isJsonObject(value)) return {};
  return Object.fromEntries(Object.entries(value).map(([name, item]) => [pascal(name), item]));
}

function pascal(name: string): string {
  return name.replace(/(?:^|_)([a-z])/g, (_match, letter: string) => letter.toUpperCase());
}

/** The vendor and version that an offer's model stands for; configurations without one do not start. */
export function vodModel(model: string, quirks: JsonObject): VodModel {
  const read = readVodModel(model, quirks);
  if (read !== undefined) return read;
  throw new GatewayError('internal', 'the offer of this model names no vendor and version', { taken: 'no' });
}

/** Whether a Kling model takes references and subjects: only the omni ones do. */
export function isOmni(model: VodModel): boolean {
  return /omni|^o\d/i.test(model.version);
}
