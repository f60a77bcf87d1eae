import { elementId, sizeFor } from '../core/values.ts';
import type { Exchange } from '../core/exchange.ts';
import { startJob, videoLink } from '../core/work.ts';
import type { Route, Vendor } from '../core/vendor.ts';
import { CREDENTIALS, requireToken } from './token.ts';
import {
  complainAsKling,
  klingRefusal,
  refuseAsKling,
  findTask,
  requireNewExternalId,
  sendCreated,
  sendList,
  sendTask,
} from './tasks.ts';
import { rawElementIds, readKlingVideo, type Endpoint } from './video-request.ts';

const ENDPOINTS: readonly Endpoint[] = [
  'omni-video',
  'text2video',
  'image2video',
  'multi-image2video',
  'motion-control',
];
const RESOLUTIONS = { std: '720p', pro: '1080p', '4k': '2160p' } as const;
const ELEMENTS = '/v1/general/advanced-custom-elements';

/** Kling's own API, v1: videos and elements under a JWT. */
export const kling: Vendor<'kling'> = {
  name: 'kling',
  standsFor: [{ vendor: 'kling' }],
  credentials: () => CREDENTIALS,
  basePath: '',
  routes: [
    ...ENDPOINTS.flatMap((endpoint) =>
      taskRoutes(`/v1/videos/${endpoint}`, 'create', async (exchange) => createVideo(exchange, endpoint)),
    ),
    ...taskRoutes(ELEMENTS, 'subject', createElement),
    { method: 'POST', path: '/v1/general/delete-advanced-elements', operation: 'other', handle: deleteElement },
    { method: 'POST', path: '/v1/general/delete-elements', operation: 'other', handle: deleteElement },
  ],
  refuse: refuseAsKling,
  authenticate: requireToken,
};

function taskRoutes(path: string, operation: 'create' | 'subject', handle: Route['handle']): Route[] {
  return [
    { method: 'POST', path, operation, handle },
    { method: 'GET', path, operation: 'list', handle: (exchange) => sendList(exchange, path) },
    {
      method: 'GET',
      path: new RegExp(`^${path}/(?<id>[^/]+)$`),
      operation: 'poll',
      handle: (exchange) => sendTask(exchange, findTask(exchange, path)),
    },
  ];
}

async function createVideo(exchange: Exchange, endpoint: Endpoint): Promise<void> {
  const video = readKlingVideo(exchange, endpoint);
  requireNewExternalId(exchange, video.externalId);
  const markers = await exchange.obey(video.prompt);
  if (markers.words.has('refuse'))
    throw klingRefusal(400, 1301, 'The request content triggered the content safety policy.');
  const { stage } = exchange;
  const size = sizeFor(RESOLUTIONS[video.mode], video.ratio);
  const url = videoLink(stage, { ...size, seconds: video.seconds, audio: video.sound, prompt: video.prompt });
  const job = startJob(exchange, markers, {
    id: stage.newId('8'),
    kind: 'video',
    model: video.model,
    prompt: video.prompt,
    ...(video.externalId !== undefined && { dedupeKey: video.externalId }),
    usage: { seconds: video.seconds, videos: 1 },
    details: {
      endpoint: `/v1/videos/${endpoint}`,
      result: { videos: [{ id: stage.newId('v'), url, watermark_url: '', duration: String(video.seconds) }] },
    },
  });
  sendCreated(exchange, job);
}

async function createElement(exchange: Exchange): Promise<void> {
  const body = exchange.json(complainAsKling);
  const name = body.string('element_name', 20);
  const description = body.string('element_description', 100);
  const type = body.oneOf('reference_type', ['image_refer', 'video_refer'] as const);
  if (type === 'image_refer') {
    const images = body.object('element_image_list');
    images.string('frontal_image');
    const others = images.objects('refer_images');
    if (others.length < 1 || others.length > 3) images.fail('refer_images', 'one to three images');
    for (const other of others) other.string('image_url');
  } else {
    const videos = body.object('element_video_list').objects('refer_videos');
    if (videos.length !== 1) body.fail('element_video_list', 'exactly one video');
    for (const video of videos) video.string('video_url');
  }
  for (const tag of body.objects('tag_list')) tag.string('tag_id');
  const external = body.optionalString('external_task_id');
  requireNewExternalId(exchange, external);
  const markers = await exchange.obey(description);
  const { stage } = exchange;
  const element = {
    element_id: elementId(stage.jobs.created),
    element_name: name,
    element_description: description,
    reference_type: type,
    element_image_list: body.value['element_image_list'] ?? {},
    element_video_list: body.value['element_video_list'] ?? {},
    element_voice_info: {},
    tag_list: body.value['tag_list'] ?? [],
    owned_by: 'twin',
    status: 'succeed',
  };
  const job = startJob(exchange, markers, {
    id: stage.newId('8'),
    kind: 'subject',
    model: 'kling element',
    prompt: `${name} ${description}`,
    ...(external !== undefined && { dedupeKey: external }),
    usage: {},
    details: { endpoint: ELEMENTS, element: element.element_id, result: { elements: [element] } },
  });
  sendCreated(exchange, job);
}

function deleteElement(exchange: Exchange): void {
  const given = exchange.json(complainAsKling).value['element_id'];
  const id = typeof given === 'string' ? given : (rawElementIds(exchange)[0] ?? '');
  const job = exchange.stage.jobs
    .all('kling')
    .find((candidate) => candidate.details['element'] === id && candidate.deleted !== true);
  if (job === undefined) throw klingRefusal(404, 1203, `element_id ${id} does not exist.`);
  exchange.stage.jobs.remove(job);
  sendTask(exchange, job);
}
