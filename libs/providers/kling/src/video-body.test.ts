import { describe, expect, it } from 'vitest';
import type { JsonObject } from '@model-gateway/contracts';
import type { VideoCreate } from '@model-gateway/provider-kit';
import { videoCreate } from '@model-gateway/testing';
import { toKlingVideo } from './videos.ts';

const OMNI = 'kling-v3-omni';
const PLAIN = 'kling-v3';
const image = (role: 'first_frame' | 'last_frame' | 'reference', url = `https://m.example/${role}.png`) => ({
  role,
  url,
  param: `image-${role}`,
});
const video = (role: 'reference' | 'base' | 'first_clip', url = `https://m.example/${role}.mp4`) => ({
  role,
  url,
  param: `video-${role}`,
});

const cases: {
  name: string;
  model?: string;
  input: Partial<VideoCreate>;
  endpoint?: string;
  sends: JsonObject;
  dropped?: string[];
}[] = [
  {
    name: 'text: the ratio is required, the rest is the vendor’s',
    input: { prompt: 'p' },
    sends: { prompt: 'p', aspect_ratio: '16:9' },
  },
  {
    name: 'every word of the family',
    input: {
      prompt: 'p',
      duration: 10,
      resolution: '1080p',
      ratio: '9:16',
      audio: true,
      watermark: false,
      subjects: ['860000000000000123'],
    },
    sends: {
      prompt: 'p',
      duration: '10',
      mode: 'pro',
      aspect_ratio: '9:16',
      sound: 'on',
      watermark_info: { enabled: false },
      element_list: [{ element_id: '860000000000000123' }],
    },
  },
  { name: 'silence is said', input: { audio: false }, sends: { aspect_ratio: '16:9', sound: 'off' } },
  { name: 'the classes', input: { resolution: '4K', ratio: '1:1' }, sends: { mode: '4k', aspect_ratio: '1:1' } },
  { name: 'pixels', input: { shape: 'seconds', size: '720x1280' }, sends: { mode: 'std', aspect_ratio: '9:16' } },
  {
    name: 'what it has no place for',
    input: {
      negativePrompt: 'n',
      seed: 0,
      resolution: '480P',
      ratio: '4:3',
      extra: { ext_info: '{}', session_context: 's' },
    },
    sends: { aspect_ratio: '16:9' },
    dropped: ['negative_prompt', 'seed', 'size', 'aspect_ratio', 'ext_info', 'session_context'],
  },
  {
    name: 'its own fields',
    input: { extra: { multi_shot: true, multi_prompt: [{ index: 1, prompt: 'a', duration: '5' }] } },
    sends: { aspect_ratio: '16:9', multi_shot: true, multi_prompt: [{ index: 1, prompt: 'a', duration: '5' }] },
  },
  {
    name: 'frames decide the ratio',
    input: { images: [image('first_frame'), image('last_frame')], ratio: '1:1' },
    sends: {
      image_list: [
        { image_url: 'https://m.example/first_frame.png', type: 'first_frame' },
        { image_url: 'https://m.example/last_frame.png', type: 'end_frame' },
      ],
    },
    dropped: ['aspect_ratio'],
  },
  {
    name: 'references, embedded ones as bare base64',
    input: { images: [image('reference', 'data:image/png;base64,AAAA')] },
    sends: { aspect_ratio: '16:9', image_list: [{ image_url: 'AAAA' }] },
  },
  {
    name: 'a video to edit, its sound kept',
    input: {
      body: { file_infos: [{ Category: 'Video', Url: 'https://m.example/base.mp4', KeepOriginalSound: 'Enabled' }] },
      videos: [video('base')],
    },
    sends: {
      video_list: [{ video_url: 'https://m.example/base.mp4', refer_type: 'base', keep_original_sound: 'yes' }],
      sound: 'off',
    },
  },
  {
    name: 'a video to borrow from',
    input: {
      body: { FileInfos: [{ url: 'https://m.example/reference.mp4', keep_original_sound: 'Disabled' }] },
      videos: [video('reference')],
      audio: false,
    },
    sends: {
      aspect_ratio: '16:9',
      video_list: [{ video_url: 'https://m.example/reference.mp4', refer_type: 'feature', keep_original_sound: 'no' }],
      sound: 'off',
    },
  },
  {
    name: 'plain: text',
    model: PLAIN,
    endpoint: 'text2video',
    input: { prompt: 'p', negativePrompt: 'n', extra: { cfg_scale: 0 } },
    sends: { prompt: 'p', negative_prompt: 'n', aspect_ratio: '16:9', cfg_scale: 0 },
  },
  {
    name: 'plain: frames',
    model: PLAIN,
    endpoint: 'image2video',
    input: { images: [image('first_frame', 'data:image/png;base64,AAAA'), image('last_frame')] },
    sends: { image: 'AAAA', image_tail: 'https://m.example/last_frame.png' },
  },
  {
    name: 'plain: references',
    model: PLAIN,
    endpoint: 'multi-image2video',
    input: { images: [image('reference')] },
    sends: { aspect_ratio: '16:9', image_list: [{ image: 'https://m.example/reference.png' }] },
  },
];

it.each(cases)('$name', ({ model = OMNI, input, endpoint = 'omni-video', sends, dropped = [] }) => {
  expect(toKlingVideo(videoCreate({ shape: 'omni', ...input }), model)).toEqual({
    endpoint,
    body: { ...sends, model_name: model },
    dropped,
  });
});

describe('refuses, naming the field', () => {
  it.each<[string, string, Partial<VideoCreate>, string]>([
    ['audio', OMNI, { audios: [{ role: 'reference', url: 'u', param: 'a' }] }, 'a'],
    ['a second video', OMNI, { videos: [video('reference'), { ...video('base'), param: 'second' }] }, 'second'],
    ['a video to continue', OMNI, { videos: [video('first_clip')] }, 'video-first_clip'],
    ['an embedded video', OMNI, { videos: [video('base', 'data:video/mp4;base64,AAAA')] }, 'video-base'],
    ['sound beside a video', OMNI, { videos: [video('base')], audio: true }, 'audio_generation'],
    ['another vendor’s asset', OMNI, { images: [image('first_frame', 'asset://x')] }, 'image-first_frame'],
    ['another vendor’s file', OMNI, { body: { file_infos: [{ Type: 'File', FileId: 'f' }] } }, 'file_infos[0].FileId'],
    ['a video without omni', PLAIN, { videos: [video('reference')] }, 'video-reference'],
    ['a subject without omni', PLAIN, { subjects: ['1'] }, 'subject_infos'],
    ['references beside a frame', PLAIN, { images: [image('first_frame'), image('reference')] }, 'image-reference'],
  ])('%s', (_name, model, input, param) => {
    expect(() => toKlingVideo(videoCreate({ shape: 'omni', ...input }), model)).toThrow(
      expect.objectContaining({ code: 'invalid_request', details: expect.objectContaining({ param }) }),
    );
  });
});
