/** The wires of videos, each alone behind a model: what its account and row are, and what it can be asked for. */
import type { JsonObject } from '@model-gateway/contracts';
import type { TwinVendor } from '@model-gateway/vendor-twin';
import sharp from 'sharp';

const IMAGE = 'https://example.com/a.png';
const VIDEO = 'https://example.com/v.mp4';
const background = { r: 40, g: 90, b: 160 };
const png = await sharp({ create: { width: 400, height: 400, channels: 3, background } })
  .png()
  .toBuffer();
const PICTURE = `data:image/png;base64,${png.toString('base64')}`;

export interface Wire {
  readonly family: string;
  readonly wire: string;
  readonly vendor: TwinVendor;
  /** YAML of the account, without id and name. */
  readonly account: string;
  /** YAML of the model row: its body shape, and what its vendor calls it. */
  readonly body: string;
  readonly upstream: string;
  readonly limits?: string;
  readonly modes: Readonly<Record<string, JsonObject>>;
  /** What can be stopped, and when. */
  readonly cancels?: 'queued' | 'always';
  /** Its family answers in OpenAI's words at /v1/videos. */
  readonly openai?: boolean;
  /** False where earlier gateways had no number for the vendor. */
  readonly hasPlatform?: false;
}

const content = (...items: JsonObject[]): JsonObject => ({ content: items, duration: 5 });
/** A part of a content that is text. */
export const said = (text: string): JsonObject => ({ type: 'text', text });
const shown = (role: string, url = IMAGE): JsonObject => ({ type: 'image_url', role, image_url: { url } });
const media = (type: string, url = IMAGE): JsonObject => ({ type, url });
const filed = (Usage: string): JsonObject => ({ Type: 'Url', Category: 'Image', Url: IMAGE, Usage });

const omni: Wire['modes'] = {
  text: { prompt: 'A tram', duration: 5, size: '720P', aspect_ratio: '16:9', audio_generation: true },
  'first and last frame': {
    prompt: 'A bud opens',
    duration: 5,
    file_infos: [filed('FirstFrame')],
    last_frame_url: IMAGE,
  },
  references: { prompt: 'A hat', duration: 5, aspect_ratio: '1:1', file_infos: [filed('Reference')] },
};
const pictures = (url: string): Wire['modes'] => ({
  text: { prompt: 'Waves', aspect_ratio: '16:9', resolution: '720p' },
  image: { prompt: 'The tide', imageUrls: [url], aspect_ratio: '16:9' },
  'first and last frame': { prompt: 'The tide', imageUrls: [url, url] },
  references: { prompt: 'The tide', imageUrls: [url, url, url] },
});
const happyhorse = (mode: string, body: JsonObject): Wire => ({
  family: 'B',
  wire: `DashScope ${mode}`,
  vendor: 'dashscope',
  account: "vendor: dashscope, credentials: { api_key: '${UNSET}' }",
  body: 'input',
  upstream: `happyhorse-1.0-${mode}`,
  limits: `mode: ${mode}`,
  modes: { [mode]: body },
  cancels: 'queued',
});
const prompted = (text: string, more: JsonObject = {}): JsonObject => ({ input: { prompt: text, ...more } });

export const WIRES: readonly Wire[] = [
  {
    family: 'A',
    wire: 'Ark',
    vendor: 'ark',
    account: "vendor: ark, credentials: { api_key: '${UNSET}' }",
    body: 'content',
    upstream: 'doubao-seedance-2-0-fast-260128',
    modes: {
      text: content(said('A boat')),
      'first frame': content(said('A cat'), shown('first_frame', PICTURE)),
      'first and last frame': content(shown('first_frame'), shown('last_frame')),
      references: content(
        said('Image 1 dances'),
        shown('reference_image', 'asset://asset-1'),
        { type: 'video_url', role: 'reference_video', video_url: { url: VIDEO } },
        { type: 'audio_url', role: 'reference_audio', audio_url: { url: 'https://example.com/a.mp3' } },
      ),
    },
    cancels: 'queued',
  },
  happyhorse('t2v', { ...prompted('Snow'), parameters: { resolution: '720P', duration: 5 } }),
  happyhorse('i2v', prompted('She turns', { media: [media('first_frame')] })),
  happyhorse('r2v', prompted('character1 waves', { media: [media('reference_image'), media('reference_image')] })),
  happyhorse('video-edit', prompted('A jacket', { media: [media('video', VIDEO), media('reference_image')] })),
  {
    family: 'C',
    wire: 'Gemini API',
    vendor: 'veo',
    account: "vendor: veo, wire: gemini, credentials: { api_key: '${UNSET}' }",
    body: 'image-urls',
    upstream: 'veo-3.1-generate-001',
    modes: pictures(PICTURE),
  },
  {
    family: 'C',
    wire: 'Vertex',
    vendor: 'vertex',
    account:
      "vendor: veo, wire: vertex, credentials: { client_email: '${UNSET}', private_key: '${UNSET}' }, settings: { project: twin-project, location: us-central1 }",
    body: 'image-urls',
    upstream: 'veo-3.1-generate-001',
    modes: pictures(PICTURE),
  },
  {
    family: 'C',
    wire: 'kie.ai',
    vendor: 'kie',
    account: "vendor: veo, wire: kie, credentials: { api_key: '${UNSET}' }",
    body: 'image-urls',
    upstream: 'veo3_fast',
    modes: pictures(IMAGE),
  },
  {
    family: 'D',
    wire: 'Tencent VOD',
    vendor: 'tencent-vod',
    account:
      "vendor: tencent-vod, credentials: { secret_id: '${UNSET}', secret_key: '${UNSET}', sub_app_id: '${UNSET}' }",
    body: 'omni',
    upstream: 'Kling/3.0-Omni',
    limits: 'omni: true',
    modes: omni,
    cancels: 'always',
  },
  {
    family: 'D',
    wire: 'Kling',
    vendor: 'kling',
    account: "vendor: kling, credentials: { access_key: '${UNSET}', secret_key: '${UNSET}' }",
    body: 'omni',
    upstream: 'kling-v3-omni',
    limits: 'omni: true',
    modes: omni,
  },
  {
    family: 'E',
    wire: 'MiniMax',
    vendor: 'minimax',
    account: "vendor: minimax, credentials: { api_key: '${UNSET}' }",
    body: 'prompt',
    upstream: 'MiniMax-Hailuo-02',
    modes: {
      text: { prompt: 'A lantern', duration: 6 },
      'first frame': { prompt: 'A lantern', first_frame_image: IMAGE },
      'first and last frame': { prompt: 'A lantern', first_frame_image: IMAGE, last_frame_image: IMAGE },
    },
  },
  {
    family: 'F',
    wire: 'OpenAI',
    vendor: 'openai',
    account: "vendor: openai, credentials: { api_key: '${UNSET}' }",
    body: 'seconds',
    upstream: 'sora-2',
    modes: {
      text: { prompt: 'A kite', seconds: '4', size: '1280x720' },
      image: { prompt: 'A kite', seconds: '8', input_reference: { image_url: PICTURE } },
    },
    openai: true,
  },
  {
    family: 'F',
    wire: 'xAI',
    vendor: 'xai',
    account: "vendor: openai, wire: xai, credentials: { api_key: '${UNSET}' }",
    body: 'seconds',
    upstream: 'grok-imagine-video',
    modes: {
      text: { prompt: 'A kite', seconds: '5' },
      image: { prompt: 'A kite', seconds: '5', input_reference: IMAGE },
    },
    openai: true,
  },
  {
    family: 'E',
    wire: 'fal',
    vendor: 'fal',
    hasPlatform: false,
    account: "vendor: fal, credentials: { api_key: '${UNSET}' }",
    body: 'prompt',
    upstream: 'fal-ai/kling-video/v2.5-turbo/pro/text-to-video',
    ...{ modes: { text: { prompt: 'A tram', aspect_ratio: '16:9' } }, cancels: 'queued' },
  },
  {
    family: 'E',
    wire: 'Replicate',
    vendor: 'replicate',
    hasPlatform: false,
    account: "vendor: replicate, credentials: { api_key: '${UNSET}' }",
    body: 'prompt',
    upstream: 'bytedance/seedance-1-pro',
    modes: { frames: { prompt: 'A tram', duration: 5, first_frame_image: PICTURE, last_frame_image: IMAGE } },
    cancels: 'queued',
  },
  {
    family: 'E',
    wire: 'Black Forest Labs',
    vendor: 'bfl',
    hasPlatform: false,
    account: "vendor: bfl, credentials: { api_key: '${UNSET}' }",
    body: 'prompt',
    upstream: 'flux-3-video',
    modes: { frames: { prompt: 'A tram', first_frame_image: PICTURE, last_frame_image: IMAGE } },
  },
  {
    family: 'E',
    wire: 'Runway',
    vendor: 'runway',
    hasPlatform: false,
    account: "vendor: runway, credentials: { api_key: '${UNSET}' }",
    body: 'prompt',
    upstream: 'gen4.5',
    modes: { frame: { prompt: 'A tram', first_frame_image: PICTURE, aspect_ratio: '1:1' } },
    cancels: 'queued',
  },
  {
    family: 'E',
    wire: 'Luma',
    vendor: 'luma',
    hasPlatform: false,
    account: "vendor: luma, credentials: { api_key: '${UNSET}' }",
    body: 'prompt',
    upstream: 'ray-2',
    modes: { frames: { prompt: 'A tram', first_frame_image: IMAGE, last_frame_image: IMAGE, loop: true } },
  },
  {
    family: 'E',
    wire: 'PixVerse',
    vendor: 'pixverse',
    hasPlatform: false,
    account: "vendor: pixverse, credentials: { api_key: '${UNSET}' }",
    body: 'prompt',
    upstream: 'v6',
    modes: {
      text: { prompt: 'A tram', duration: 3, resolution: '1080p', aspect_ratio: '1:1' },
      frames: { prompt: 'A tram', first_frame_image: IMAGE, last_frame_image: PICTURE },
    },
  },
];
