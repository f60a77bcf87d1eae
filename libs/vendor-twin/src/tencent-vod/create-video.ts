import type { JsonObject } from '@model-gateway/contracts';
import { startJob, videoLink } from '../core/work.ts';
import { sizeFor, isElementId } from '../core/values.ts';
import type { Exchange } from '../core/exchange.ts';
import type { Reader } from '../core/reader.ts';
import { complainAsTencent, tencentRefusal } from './errors.ts';

const VERSIONS: Readonly<Record<string, readonly string[]>> = {
  Kling: ['1.6', '2.0', '2.1', '2.5', '2.6', 'O1', '3.0', '3.0-Omni'],
  Hailuo: ['02', '2.3', '2.3-fast', 'H3'],
  Vidu: ['q2', 'q2-pro', 'q2-turbo', 'q3', 'q3-pro', 'q3-turbo'],
  GV: ['3.1', '3.1-fast'],
  OS: ['2.0'],
  Hunyuan: ['1.5'],
  Mingmou: ['1.0'],
  PixVerse: ['v5.6', 'v6', 'c1'],
};
const FIELDS = new Set(
  (
    'SubAppId ModelName ModelVersion Prompt NegativePrompt EnhancePrompt FileInfos SubjectInfos LastFrameUrl LastFrameFileId ' +
    'OutputConfig InputRegion SceneType Seed Procedure SessionId SessionContext TasksPriority ExtInfo'
  ).split(' '),
);
const OUTPUT_FIELDS = new Set(
  (
    'StorageMode Duration Resolution AspectRatio AudioGeneration PersonGeneration InputComplianceCheck OutputComplianceCheck ' +
    'EnhanceSwitch OffPeak FrameInterpolate LogoAdd EnableBGM MediaName ClassId ExpireTime'
  ).split(' '),
);
const SWITCHES =
  'AudioGeneration InputComplianceCheck OutputComplianceCheck EnhanceSwitch OffPeak FrameInterpolate EnableBGM'.split(
    ' ',
  );
const SWITCH = ['Enabled', 'Disabled'] as const;

/** `CreateAigcVideoTask` (https://cloud.tencent.com/document/api/266/126239). */
export async function createVideo(exchange: Exchange): Promise<void> {
  const body = exchange.json(complainAsTencent);
  body.only(FIELDS);
  const model = body.oneOf('ModelName', Object.keys(VERSIONS));
  const version = body.oneOf('ModelVersion', VERSIONS[model] ?? []);
  const files = readFiles(body);
  const prompt = body.optionalString('Prompt', 2500) ?? '';
  if (prompt === '' && files.count === 0 && !body.has('SceneType')) body.fail('Prompt', 'a string', 'missing');
  checkLastFrame(body, files.first);
  readSubjects(body, model);
  const output = readOutput(body, { model, files });
  const session = requireNewSession(exchange, body);
  const markers = await exchange.obey(prompt);
  if (markers.words.has('refuse'))
    throw tencentRefusal('InvalidParameter.ViolationContent', 'The prompt violates the content policy.');
  const { stage } = exchange;
  const size = sizeFor(output.resolution, output.ratio);
  const job = startJob(exchange, markers, {
    id: `${body.integer('SubAppId')}-AigcVideoTask-${stage.newId('')}t`,
    kind: 'video',
    model: `${model} ${version}`,
    prompt,
    ...(session !== undefined && { dedupeKey: session }),
    usage: { seconds: output.seconds, videos: 1 },
    details: {
      input: inputEcho(body),
      session: session ?? '',
      context: body.optionalString('SessionContext', 1000) ?? '',
      permanent: output.permanent,
      ...size,
      seconds: output.seconds,
      url: videoLink(stage, { ...size, seconds: output.seconds, audio: output.audio, prompt }),
    },
  });
  exchange.reply(200, { Response: { TaskId: job.id, RequestId: stage.newId('') } });
}

/** The same label within three days is refused: the vendor's guard against doing a thing twice. */
export function requireNewSession(exchange: Exchange, body: Reader): string | undefined {
  const session = body.optionalString('SessionId');
  if (session === undefined || session === '') return undefined;
  if (session.length > 50)
    throw tencentRefusal('InvalidParameterValue.SessionIdTooLong', 'The SessionId is too long: at most 50.');
  const known = exchange.stage.jobs.findByDedupeKey('tencent-vod', session);
  if (known !== undefined && exchange.stage.now() - known.createdAt < 3 * 86_400_000) {
    throw tencentRefusal(
      'InvalidParameterValue.SessionId',
      'The SessionId is duplicate: a task with it exists already.',
    );
  }
  return session;
}

/** A detail repeats the request, without what names account and session. */
function inputEcho(body: Reader): JsonObject {
  const shown = Object.entries(body.value).filter(
    ([name]) => !['SubAppId', 'SessionId', 'SessionContext'].includes(name),
  );
  return Object.fromEntries(shown);
}

interface Files {
  readonly count: number;
  readonly first: boolean;
  readonly video: boolean;
}

function readFiles(body: Reader): Files {
  let first = false;
  let video = false;
  const files = body.objects('FileInfos');
  for (const file of files) {
    const type = file.optionalOneOf('Type', ['Url', 'File', 'Base64'] as const) ?? 'Url';
    const category = file.optionalOneOf('Category', ['Image', 'Video', 'Audio'] as const) ?? 'Image';
    if (type === 'Url' && !/^https?:\/\//.test(file.string('Url'))) file.fail('Url', 'an http(s) URL');
    if (type === 'File') file.string('FileId');
    if (type === 'Base64' && file.string('Base64').startsWith('data:'))
      file.fail('Base64', 'base64 without a data: prefix');
    const usage = file.optionalOneOf('Usage', ['FirstFrame', 'LastFrame', 'Reference'] as const);
    file.optionalOneOf('ReferenceType', ['feature', 'base', 'asset', 'style', 'subject', 'background'] as const);
    file.optionalOneOf('KeepOriginalSound', SWITCH);
    // A picture without a usage is the first frame.
    if (category === 'Image' && (usage ?? 'FirstFrame') === 'FirstFrame') first = true;
    if (category === 'Video') video = true;
  }
  return { count: files.length, first, video };
}

function checkLastFrame(body: Reader, first: boolean): void {
  const url = body.optionalString('LastFrameUrl');
  if (url !== undefined && !/^https?:\/\//.test(url)) body.fail('LastFrameUrl', 'an http(s) URL');
  if ((url !== undefined || body.has('LastFrameFileId')) && !first)
    body.fail('LastFrameUrl', 'a first frame beside it');
}

function readSubjects(body: Reader, model: string): void {
  for (const subject of body.objects('SubjectInfos')) {
    if (model !== 'Kling') {
      subject.string('Name');
    } else if (!isElementId(subject.string('Id'))) {
      subject.fail('Id', 'the id of an element');
    }
  }
}

interface Output {
  readonly seconds: number;
  readonly resolution: string;
  readonly ratio: string;
  readonly audio: boolean;
  readonly permanent: boolean;
}

function readOutput(body: Reader, { model, files }: { readonly model: string; readonly files: Files }): Output {
  const output = body.optionalObject('OutputConfig');
  output?.only(OUTPUT_FIELDS);
  for (const name of SWITCHES) output?.optionalOneOf(name, SWITCH);
  output?.optionalOneOf('PersonGeneration', ['AllowAdult', 'Disallowed'] as const);
  const audio = output?.value['AudioGeneration'] === 'Enabled';
  if (audio && files.video) output.fail('AudioGeneration', 'Disabled, since there is a reference video');
  const kling = model === 'Kling';
  const seconds = output?.optionalNumber('Duration', kling ? 3 : 1, 15) ?? 5;
  const resolution = kling
    ? output?.optionalOneOf('Resolution', ['720P', '1080P', '4K'] as const)
    : output?.optionalString('Resolution');
  const ratio = kling
    ? output?.optionalOneOf('AspectRatio', ['16:9', '9:16', '1:1'] as const)
    : output?.optionalString('AspectRatio');
  return {
    seconds,
    resolution: resolution ?? '720P',
    ratio: ratio ?? '16:9',
    audio,
    permanent: output?.optionalOneOf('StorageMode', ['Temporary', 'Permanent'] as const) === 'Permanent',
  };
}
