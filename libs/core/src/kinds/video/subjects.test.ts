import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { GatewayError, type JsonObject } from '@model-gateway/contracts';
import type { KeyRecord, Store } from '../../ports.ts';
import { readSubjectBody } from './subjects.ts';
import {
  account,
  createClock,
  createHarness,
  makeKey,
  videoRow,
  type Clock,
  type Harness,
} from '../../tasks/testing/harness.ts';
import { openTestStore } from '../../tasks/testing/store.ts';
import { startTestVendor, testAdapter, type TestVendor } from '../../tasks/testing/vendor.ts';

const FRONT = 'https://media.example/front.png';
const LEFT = 'https://media.example/left.png';
const images: JsonObject = {
  element_name: 'Mira',
  element_description: 'young woman, red coat',
  reference_type: 'image_refer',
  element_image_list: { frontal_image: FRONT, refer_images: [{ image_url: LEFT }] },
  tag_list: [{ tag_id: 'o_102' }],
};

describe('a subject’s body', () => {
  it('is read in snake_case with lists', () => {
    expect(readSubjectBody({ ...images, model: 'kling', novelty: 1 })).toEqual({
      model: 'kling',
      draft: {
        name: 'Mira',
        description: 'young woman, red coat',
        referenceType: 'image_refer',
        frontalImage: FRONT,
        referImages: [LEFT],
        referVideos: [],
        tags: ['o_102'],
        extra: { novelty: 1 },
      },
    });
  });

  it('is read in capitals with JSON text', () => {
    const { draft } = readSubjectBody({
      ElementName: 'Mira',
      ElementDescription: 'young woman',
      ReferenceType: 'video_refer',
      ElementVideoList: '{"refer_videos":[{"video_url":"https://media.example/v.mp4"}]}',
      ElementVoiceId: 'v1',
      TagList: '[{"tag_id":"o_101"}]',
    });
    expect(draft).toMatchObject({ referVideos: ['https://media.example/v.mp4'], voiceId: 'v1', tags: ['o_101'] });
  });

  it.each<{ name: string; change: JsonObject; param: string }>([
    { name: 'no name', change: { element_name: '' }, param: 'element_name' },
    { name: 'a name of 21 characters', change: { element_name: 'x'.repeat(21) }, param: 'element_name' },
    { name: 'a description of 101', change: { element_description: '字'.repeat(101) }, param: 'element_description' },
    { name: 'an unknown kind', change: { reference_type: 'sound' }, param: 'reference_type' },
    { name: 'no pictures', change: { element_image_list: null }, param: 'element_image_list' },
    {
      name: 'no frontal picture',
      change: { element_image_list: { refer_images: [{ image_url: LEFT }] } },
      param: 'element_image_list.frontal_image',
    },
    {
      name: 'no other view',
      change: { element_image_list: { frontal_image: FRONT } },
      param: 'element_image_list.refer_images',
    },
    {
      name: 'four other views',
      change: {
        element_image_list: {
          frontal_image: FRONT,
          refer_images: Array.from({ length: 4 }, () => ({ image_url: LEFT })),
        },
      },
      param: 'element_image_list.refer_images',
    },
    { name: 'a torn list', change: { element_image_list: '{"frontal' }, param: 'element_image_list' },
    {
      name: 'a video beside pictures',
      change: { element_video_list: { refer_videos: [] } },
      param: 'element_video_list',
    },
    { name: 'a tag without id', change: { tag_list: [{}] }, param: 'tag_list[0].tag_id' },
  ])('refuses $name', ({ change, param }) => {
    let error: unknown;
    try {
      readSubjectBody({ ...images, ...change });
    } catch (reason) {
      error = reason;
    }
    expect(error).toBeInstanceOf(GatewayError);
    expect(error).toMatchObject({ code: 'invalid_request', details: { param } });
  });

  it('takes a name of 20 signs, however many bytes they have', () => {
    expect(readSubjectBody({ ...images, element_name: '😀'.repeat(20) }).draft.name).toHaveLength(40);
  });
});

describe('a subject task', () => {
  let clock: Clock;
  let vendors: TestVendor[];
  let store: Store;
  let key: KeyRecord;
  let harness: Harness;

  beforeEach(async () => {
    clock = createClock();
    vendors = [await startTestVendor('a'), await startTestVendor('b')];
    store = await openTestStore();
    key = await makeKey(store, { ownerId: 7 });
    const accounts = vendors.map(({ url }, index) => account({ id: index + 1, vendor: 'scripted', baseUrl: url }));
    const [one, two] = accounts;
    if (one === undefined || two === undefined) throw new Error('no accounts');
    harness = createHarness({
      store,
      clock,
      adapters: [testAdapter()],
      accounts,
      models: [
        videoRow({ code: 'plain', videoShape: 'prompt' }, one),
        videoRow({ code: 'omni', videoShape: 'omni' }, two, one),
        videoRow({ code: 'other-omni', videoShape: 'omni' }, one),
      ],
    });
  });
  afterEach(async () => {
    await Promise.all(vendors.map((vendor) => vendor.close()));
    await harness.close();
    await store.close();
  });

  const create = async (by = key, more: JsonObject = {}): Promise<string> => {
    const { task } = await harness.engine.createSubject(harness.caller(by), { ...images, ...more });
    return task?.id ?? '';
  };
  const get = (id: string) => harness.engine.get(harness.caller(key), id);
  const poll = async (vendor: number, answer: JsonObject): Promise<void> => {
    const chosen = vendors[vendor];
    if (chosen !== undefined) chosen.poll = answer;
    clock.pass(60_000);
    await harness.engine.runDue();
  };
  const detail = (answer: JsonObject): JsonObject => ({
    Response: { CreateAigcAdvancedCustomElementTask: answer },
  });

  it('goes through the states of a task, keeps what the vendor told, and costs nothing', async () => {
    const id = await create();
    expect(await get(id)).toMatchObject({
      kind: 'subject',
      state: 'NOT_START',
      input: { family: 'subject', name: 'Mira', description: 'young woman, red coat', referenceType: 'image_refer' },
    });
    await poll(1, { status: 'working' });
    expect(await get(id)).toMatchObject({ state: 'IN_PROGRESS', progress: 40 });
    const info = { ElementId: '860000000000000123', ElementInfo: '{}' };
    const told = detail({ TaskId: 'vendor-id', Output: { InfoList: [info] } });
    await poll(1, { status: 'done', subject: '860000000000000123', ...told });
    expect(await get(id)).toMatchObject({ state: 'SUCCESS', progress: 100, payload: told });
    expect(await store.ledger.entries({ taskId: id, limit: 10 })).toEqual([]);
  });

  it('fails with what the vendor told of it', async () => {
    const one = await create();
    const told = detail({ ErrCode: 4711, ErrCodeExt: 'Face', Message: 'no face' });
    await poll(1, { status: 'failed', ...told });
    expect(await get(one)).toMatchObject({ state: 'FAILURE', payload: told });
    const two = await create();
    await poll(1, { status: 'failed' });
    expect(await get(two)).toMatchObject({ failCode: 'content_refused', failReason: 'a face was refused' });
  });

  it('is no video: it is in no list, and has no content', async () => {
    const id = await create();
    expect((await harness.engine.list(harness.caller(key), {})).tasks).toEqual([]);
    const { signal } = new AbortController();
    await expect(harness.engine.openContent(harness.caller(key), id, { signal })).rejects.toMatchObject({
      code: 'task_not_exist',
    });
    await expect(harness.engine.cancel(harness.caller(key), id)).rejects.toMatchObject({ code: 'conflict' });
  });

  it('a video with the subject goes to the account where it lives; to another owner it does not exist', async () => {
    const subject = async (by: KeyRecord, name: string, model: string): Promise<string> => {
      await create(by, { model });
      await poll(model === 'omni' ? 1 : 0, { status: 'done', subject: name });
      return name;
    };
    const mine = await subject(key, '111', 'other-omni');
    const video = (id: string, by = key, model = 'omni') =>
      harness.engine.createVideo(
        harness.caller(by),
        { model, prompt: 'x', subject_infos: [{ Id: id }] },
        { endpoint: 'generations' },
      );
    // The first offer of the model is account 2, the subject lives in account 1.
    expect((await video(mine)).task?.accountId).toBe(1);
    const other = await makeKey(store, { ownerId: 8 });
    await expect(video(mine, other)).rejects.toMatchObject({
      code: 'invalid_request',
      details: { param: 'subject_infos[0].Id' },
    });
    expect((await video('unknown-to-us')).task?.accountId).toBe(2);
    const far = await subject(key, '222', 'omni');
    await expect(video(far, key, 'other-omni')).rejects.toMatchObject({ details: { param: 'subject_infos' } });
    const both = { model: 'omni', prompt: 'x', subject_infos: [{ Id: mine }, { Id: far }] };
    await expect(
      harness.engine.createVideo(harness.caller(key), both, { endpoint: 'generations' }),
    ).rejects.toMatchObject({ code: 'invalid_request' });
  });

  it('a key makes subjects only for models it may use', async () => {
    const narrow = await makeKey(store, { ownerId: 1, name: 'narrow', models: ['other-*'], balance: 0 });
    await expect(create(narrow, { model: 'omni' })).rejects.toMatchObject({
      code: 'forbidden',
      details: { param: 'model' },
    });
    // Without a model, the first that the key may use and that knows subjects.
    const { task } = await harness.engine.createSubject(harness.caller(narrow), images);
    expect(task?.model).toBe('other-omni');
    const none = await makeKey(store, { ownerId: 1, name: 'none', models: ['gpt-*'], balance: 0 });
    await expect(create(none)).rejects.toMatchObject({ code: 'forbidden' });
    expect(vendors.map(({ jobs }) => jobs.size)).toEqual([1, 0]);
  });

  it('needs a model that knows subjects', async () => {
    await expect(create(key, { model: 'nobody' })).rejects.toMatchObject({ code: 'model_not_found' });
    const bare = createHarness({ store, clock, adapters: [], accounts: [], models: [] });
    await expect(bare.engine.createSubject(bare.caller(key), images)).rejects.toMatchObject({ code: 'unavailable' });
    await bare.close();
  });
});
