import { describe, expect, it } from 'vitest';
import type { JsonObject } from '@model-gateway/contracts';
import type { VideoCreate } from '@model-gateway/provider-kit';
import { videoCreate } from '@model-gateway/testing';
import { vodModel, toVodVideo } from './video-body.ts';

const OMNI = { name: 'Kling', version: '3.0-Omni' };
const PLAIN = { name: 'Kling', version: '3.0' };
const made = (body: JsonObject, model = OMNI) => {
  const { ModelName, ModelVersion, ...rest } = toVodVideo(videoCreate({ shape: 'omni', body }), model).body;
  expect({ name: ModelName, version: ModelVersion }).toEqual(model);
  return rest;
};
const refusing = (param: string) =>
  expect.objectContaining({ code: 'invalid_request', details: expect.objectContaining({ param }) });

describe('vodModel', () => {
  it.each<[string, object]>([
    ['Kling/3.0-Omni', OMNI],
    ['Kling-3.0-Omni', OMNI],
    ['kling-v3-omni', OMNI],
    ['kling-v3', PLAIN],
    ['Hailuo/2.3-fast', { name: 'Hailuo', version: '2.3-fast' }],
    ['GV/3.1', { name: 'GV', version: '3.1' }],
    ['pixverse v6', { name: 'PixVerse', version: 'v6' }],
  ])('%s', (model, expected) => expect(vodModel(model, {})).toEqual(expected));

  it('lets the offer say it', () => {
    expect(vodModel('anything', { model_name: 'Vidu', model_version: 'q3' })).toEqual({ name: 'Vidu', version: 'q3' });
  });

  it('does not guess', () => {
    expect(() => vodModel('sora-2', {})).toThrow(expect.objectContaining({ code: 'internal' }));
  });
});

describe('the family’s own shape', () => {
  it('translates every documented field', () => {
    expect(
      made({
        model: 'kling-v3-omni',
        prompt: 'a tram',
        negative_prompt: 'rain',
        enhance_prompt: 'Disabled',
        duration: 0,
        size: '1080p',
        aspect_ratio: '16:9',
        audio_generation: true,
        subject_infos: [{ Id: '860000000000000123' }, { id: '2' }],
        ext_info: '{}',
        session_context: 'mine',
        input_region: 'Oversea',
        input_compliance_check: 'Enabled',
        output_compliance_check: 'Disabled',
        logo_add: 'Disabled',
        seed: 0,
        callback_url: 'https://caller.example',
      }),
    ).toEqual({
      Prompt: 'a tram',
      NegativePrompt: 'rain',
      EnhancePrompt: 'Disabled',
      SubjectInfos: [{ Id: '860000000000000123' }, { Id: '2' }],
      ExtInfo: '{}',
      SessionContext: 'mine',
      InputRegion: 'Oversea',
      Seed: 0,
      OutputConfig: {
        Duration: 0,
        Resolution: '1080P',
        AspectRatio: '16:9',
        AudioGeneration: 'Enabled',
        InputComplianceCheck: 'Enabled',
        OutputComplianceCheck: 'Disabled',
        LogoAdd: 'Disabled',
      },
    });
  });

  it('a prompt alone sends no output configuration', () => {
    expect(made({ prompt: 'a tram' })).toEqual({ Prompt: 'a tram' });
  });

  it('writes switches as words, false too', () => {
    expect(made({ audio_generation: false })).toEqual({ OutputConfig: { AudioGeneration: 'Disabled' } });
  });

  it('takes both spellings of a file’s keys and passes a new one', () => {
    expect(
      made({
        file_infos: [
          { type: 'Url', category: 'Image', url: 'https://m.example/a.png', usage: 'Reference' },
          {
            Type: 'File',
            Category: 'Video',
            FileId: 'f1',
            ReferenceType: 'base',
            KeepOriginalSound: 'Enabled',
            Tomorrow: 1,
          },
        ],
      }),
    ).toEqual({
      FileInfos: [
        { Type: 'Url', Category: 'Image', Url: 'https://m.example/a.png', Usage: 'Reference' },
        {
          Type: 'File',
          Category: 'Video',
          FileId: 'f1',
          ReferenceType: 'base',
          KeepOriginalSound: 'Enabled',
          Tomorrow: 1,
        },
      ],
    });
  });

  it('puts embedded files into the body without their prefix', () => {
    expect(
      made({
        file_infos: [
          { Type: 'Url', Category: 'Image', Url: 'data:image/png;base64,AAAA' },
          { Base64: 'data:image/png;base64,CCCC' },
        ],
        last_frame_url: 'data:image/png;base64,BBBB',
      }),
    ).toEqual({
      FileInfos: [
        { Type: 'Base64', Category: 'Image', Base64: 'AAAA' },
        { Type: 'Base64', Base64: 'CCCC' },
        { Type: 'Base64', Category: 'Image', Base64: 'BBBB', Usage: 'LastFrame' },
      ],
    });
  });

  it('new parameters pass by either name; the gateway’s own are named as dropped', () => {
    const { body, dropped } = toVodVideo(
      videoCreate({
        shape: 'omni',
        body: {
          SceneType: 'lip_sync',
          tasks_priority: 3,
          OutputConfig: { StorageMode: 'Permanent' },
          enable_bgm: true,
          session_id: 'x',
          ModelName: 'OS',
          SubAppId: 1,
        },
      }),
      OMNI,
    );
    expect(body).toEqual({
      ModelName: 'Kling',
      ModelVersion: '3.0-Omni',
      SceneType: 'lip_sync',
      TasksPriority: 3,
      OutputConfig: { StorageMode: 'Permanent', EnableBGM: 'Enabled' },
    });
    expect(dropped).toEqual(['session_id', 'ModelName', 'SubAppId']);
  });

  it('drops the ratio where a first frame decides it, and says so', () => {
    const body = {
      aspect_ratio: '1:1',
      file_infos: [{ Type: 'Url', Category: 'Image', Url: 'https://m.example/a.png' }],
    };
    const result = toVodVideo(videoCreate({ shape: 'omni', body }), OMNI);
    expect(result.body).not.toHaveProperty('OutputConfig');
    expect(result.dropped).toEqual(['aspect_ratio']);
    const reference = { ...body, file_infos: [{ ...body.file_infos[0], Usage: 'Reference' }] };
    expect(toVodVideo(videoCreate({ shape: 'omni', body: reference }), OMNI).dropped).toEqual([]);
  });

  it('keeps a subject’s digits: a number that lost them is refused', () => {
    expect(made({ subject_infos: [{ Id: 12 }] })).toEqual({ SubjectInfos: [{ Id: '12' }] });
    expect(() => made({ subject_infos: [{ Id: 860000000000000123 }] })).toThrow(refusing('subject_infos[0].Id'));
  });

  it('refuses what Kling cannot do, naming the field', () => {
    const video = { Type: 'Url', Category: 'Video', Url: 'https://m.example/v.mp4', ReferenceType: 'feature' };
    const image = { Type: 'Url', Category: 'Image', Url: 'https://m.example/a.png', Usage: 'Reference' };
    expect(() => made({ size: '480P' })).toThrow(refusing('size'));
    expect(() => made({ audio_generation: true, file_infos: [video] })).toThrow(refusing('audio_generation'));
    expect(() => made({ file_infos: [video] }, PLAIN)).toThrow(refusing('file_infos[0]'));
    expect(() => made({ file_infos: [image] }, PLAIN)).toThrow(refusing('file_infos[0]'));
    expect(() => made({ subject_infos: [{ Id: '1' }] }, PLAIN)).toThrow(refusing('subject_infos'));
    expect(made({ audio_generation: false, file_infos: [video] })).toHaveProperty('FileInfos');
  });
});

describe('other shapes', () => {
  const cases: { name: string; input: Partial<VideoCreate>; sends: JsonObject; dropped?: string[] }[] = [
    {
      name: 'words of the form',
      input: { prompt: 'p', negativePrompt: 'n', seed: 0, duration: 5, audio: false },
      sends: { Prompt: 'p', NegativePrompt: 'n', Seed: 0, OutputConfig: { Duration: 5, AudioGeneration: 'Disabled' } },
    },
    {
      name: 'pixels become class and ratio',
      input: { size: '1080x1920' },
      sends: { OutputConfig: { Resolution: '1080P', AspectRatio: '9:16' } },
    },
    { name: 'a class it has not', input: { resolution: '480p' }, sends: {}, dropped: ['resolution'] },
    { name: 'a watermark is not to be had', input: { watermark: false }, sends: {}, dropped: ['watermark'] },
    {
      name: 'first and last frame; no ratio beside them',
      input: {
        ratio: '16:9',
        images: [
          { role: 'first_frame', url: 'https://m.example/1.png', param: 'a' },
          { role: 'last_frame', url: 'https://m.example/2.png', param: 'b' },
        ],
      },
      sends: {
        FileInfos: [{ Type: 'Url', Category: 'Image', Url: 'https://m.example/1.png', Usage: 'FirstFrame' }],
        LastFrameUrl: 'https://m.example/2.png',
      },
      dropped: ['ratio'],
    },
    {
      name: 'references, an edited video and subjects',
      input: {
        images: [{ role: 'reference', url: 'data:image/png;base64,AAAA', param: 'a' }],
        videos: [{ role: 'base', url: 'https://m.example/v.mp4', param: 'b' }],
        subjects: ['860000000000000123'],
      },
      sends: {
        FileInfos: [
          { Type: 'Base64', Category: 'Image', Base64: 'AAAA', Usage: 'Reference' },
          { Type: 'Url', Category: 'Video', Url: 'https://m.example/v.mp4', ReferenceType: 'base' },
        ],
        SubjectInfos: [{ Id: '860000000000000123' }],
      },
    },
    {
      name: 'an own parameter in the OpenAI shape',
      input: { shape: 'seconds', extra: { StorageMode: 'Permanent', SceneType: 'x', SessionId: 'mine' } },
      sends: { SceneType: 'x', OutputConfig: { StorageMode: 'Permanent' } },
      dropped: ['SessionId'],
    },
  ];
  it.each(cases)('$name', ({ input, sends, dropped = [] }) => {
    expect(toVodVideo(videoCreate(input), OMNI)).toEqual({
      body: { ModelName: 'Kling', ModelVersion: '3.0-Omni', ...sends },
      dropped,
    });
  });

  it.each<{ name: string; input: Partial<VideoCreate>; param: string }>([
    {
      name: 'audio',
      input: { audios: [{ role: 'driving', url: 'https://m.example/a.mp3', param: 'content[1].audio_url.url' }] },
      param: 'content[1].audio_url.url',
    },
    {
      name: 'a video to continue',
      input: { videos: [{ role: 'first_clip', url: 'https://m.example/v.mp4', param: 'input.media[0].url' }] },
      param: 'input.media[0].url',
    },
    {
      name: 'an asset of another vendor',
      input: { images: [{ role: 'first_frame', url: 'asset://a', param: 'content[0].image_url.url' }] },
      param: 'content[0].image_url.url',
    },
  ])('refuses $name', ({ input, param }) => {
    expect(() => toVodVideo(videoCreate(input), OMNI)).toThrow(refusing(param));
  });
});
