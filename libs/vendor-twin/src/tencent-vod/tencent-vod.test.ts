import { createHash, createHmac } from 'node:crypto';
import { request } from 'node:http';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startVendorTwin, type VendorTwin } from '../index.ts';
import { ask, type Heard } from '../test-kit.ts';

let now = 1_790_000_000_000;
let twin: VendorTwin;

beforeAll(async () => {
  twin = await startVendorTwin({ clock: () => now });
});
afterAll(async () => twin.close());

interface Signing {
  readonly key?: string;
  readonly id?: string;
  readonly at?: number;
  readonly day?: string;
  readonly sent?: string;
}

/** TC3 written down once more, by the vendor's steps: the twin must agree with a stranger's signature. */
const sign = (
  body: string,
  { key = 'testSecretKey0123456789', id = 'AKIDtest0000000000000000000000000000', at = now / 1000, day }: Signing = {},
): Record<string, string> => {
  const host = new URL(twin.url).host;
  const date = day ?? new Date(at * 1000).toISOString().slice(0, 10);
  const sha = (text: string): string => createHash('sha256').update(text).digest('hex');
  const mac = (secret: string | Buffer, text: string): Buffer => createHmac('sha256', secret).update(text).digest();
  const canonical = [
    'POST',
    '/',
    '',
    `content-type:application/json\nhost:${host}\n`,
    'content-type;host',
    sha(body),
  ].join('\n');
  const scope = `${date}/vod/tc3_request`;
  const text = ['TC3-HMAC-SHA256', String(Math.floor(at)), scope, sha(canonical)].join('\n');
  const signature = mac(mac(mac(mac(`TC3${key}`, date), 'vod'), 'tc3_request'), text).toString('hex');
  return {
    'content-type': 'application/json',
    authorization: `TC3-HMAC-SHA256 Credential=${id}/${scope}, SignedHeaders=content-type;host, Signature=${signature}`,
    'x-tc-timestamp': String(Math.floor(at)),
    'x-tc-version': '2018-07-17',
  };
};

const act = async (action: string, fields: object, signing: Signing = {}): Promise<Heard> => {
  const body = JSON.stringify({ SubAppId: 1_500_000_001, ...fields });
  const reply = await ask(`${twin.baseUrl('tencent-vod')}/`, {
    body: signing.sent ?? body,
    headers: { ...sign(body, signing), 'x-tc-action': action },
  });
  expect(reply.status).toBe(200);
  return reply;
};
const codeOf = (reply: Heard): string | undefined => reply.json.Response.Error?.Code as string | undefined;
const OMNI = { ModelName: 'Kling', ModelVersion: '3.0-Omni' };
const create = async (fields: object): Promise<string> =>
  (await act('CreateAigcVideoTask', { ...OMNI, Prompt: 'A tram', ...fields })).json.Response.TaskId as string;

describe('signatures', () => {
  it('agree with the reference vector', async () => {
    const vector = await startVendorTwin({ clock: () => 1_790_000_000_000 });
    const body = '{"SubAppId":1500000001,"TaskId":"1500000001-AigcVideoTask-demot"}';
    const signature = 'abe91f73ac7443343f81ee6805e858d9c7163fbb05af2fb0dbc19f7fe9104d05';
    const headers = {
      host: 'vod.tencentcloudapi.com',
      'content-type': 'application/json',
      'x-tc-action': 'DescribeTaskDetail',
      'x-tc-version': '2018-07-17',
      'x-tc-timestamp': '1790000000',
      authorization: `TC3-HMAC-SHA256 Credential=AKIDtest0000000000000000000000000000/2026-09-21/vod/tc3_request, SignedHeaders=content-type;host, Signature=${signature}`,
    };
    // fetch does not let anybody set the host.
    const text = await new Promise<string>((resolve, reject) => {
      const sent = request(`${vector.baseUrl('tencent-vod')}/`, { method: 'POST', headers }, (reply) => {
        let heard = '';
        reply.on('data', (chunk: Buffer) => (heard += chunk.toString()));
        reply.on('end', () => resolve(heard));
      });
      sent.on('error', reject);
      sent.end(body);
    });
    expect(text).toContain('ResourceNotFound');
    await vector.close();
  });

  it.each<[string, Signing, string]>([
    ['another key', { key: 'x' }, 'AuthFailure.SignatureFailure'],
    ['another id', { id: 'AKIDother' }, 'AuthFailure.SecretIdNotFound'],
    ['another body', { sent: '{"SubAppId":1500000001,"TaskId":"y"}' }, 'AuthFailure.SignatureFailure'],
    ['an old time', { at: 1_790_000_000 - 301 }, 'AuthFailure.SignatureExpire'],
    ['a local day', { day: '2026-09-22' }, 'AuthFailure.SignatureFailure'],
  ])('fail for %s', async (_, signing, code) => {
    expect(codeOf(await act('DescribeTaskDetail', { TaskId: 'x' }, signing))).toBe(code);
  });

  it('are wanted', async () => {
    const reply = await ask(`${twin.baseUrl('tencent-vod')}/`, { body: {} });
    expect(codeOf(reply)).toBe('AuthFailure.InvalidAuthorization');
  });
});

describe('CreateAigcVideoTask', () => {
  it('waits, works and finishes with a file for seven days', async () => {
    const id = await create({
      OutputConfig: { Duration: 4, Resolution: '720P', AspectRatio: '9:16', AudioGeneration: 'Enabled' },
      SessionContext: 'mine',
    });
    const waiting = (await act('DescribeTaskDetail', { TaskId: id })).json.Response;
    expect(waiting).toMatchObject({
      TaskType: 'AigcVideoTask',
      Status: 'WAITING',
      BeginProcessTime: '',
      FinishTime: '',
      ProcedureTask: null,
    });
    now += 2000;
    const working = (await act('DescribeTaskDetail', { TaskId: id })).json.Response;
    expect(working.Status).toBe('PROCESSING');
    expect(working.AigcVideoTask.Progress).toBeGreaterThan(0);
    expect(working.AigcVideoTask.Progress).toBeLessThan(100);
    now += 2000;
    const done = (await act('DescribeTaskDetail', { TaskId: id })).json.Response;
    expect(done).toMatchObject({
      Status: 'FINISH',
      AigcVideoTask: {
        Status: 'FINISH',
        ErrCode: 0,
        Progress: 100,
        Input: { ModelName: 'Kling', Prompt: 'A tram' },
        Output: {
          FileInfos: [
            { StorageMode: 'Temporary', FileType: 'mp4', MetaData: { Width: 720, Height: 1280, Duration: 4 } },
          ],
          Usage: { OutputSeconds: 4 },
        },
        SessionContext: 'mine',
      },
    });
    now += 4 * 86_400_000;
    expect(codeOf(await act('DescribeTaskDetail', { TaskId: id }))).toBe('ResourceNotFound');
  });

  it('takes a session once in three days, and shows it in the list', async () => {
    const id = await create({ SessionId: 'session-1' });
    const again = await act('CreateAigcVideoTask', { ...OMNI, Prompt: 'A tram', SessionId: 'session-1' });
    expect(codeOf(again)).toBe('InvalidParameterValue.SessionId');
    expect(twin.ledger.jobs('tencent-vod').filter((job) => job.dedupeKey === 'session-1')).toHaveLength(1);
    const list = (await act('DescribeTasks', { Status: 'WAITING', Limit: 100 })).json.Response.TaskSet;
    expect(list).toContainEqual(expect.objectContaining({ TaskId: id, SessionId: 'session-1' }));
    now += 4 * 86_400_000;
    await expect(create({ SessionId: 'session-1' })).resolves.toBeDefined();
  });

  it('is aborted only while it waits', async () => {
    const id = await create({});
    expect(codeOf(await act('ManageTask', { TaskId: id, OperationType: 'Abort' }))).toBeUndefined();
    expect((await act('DescribeTaskDetail', { TaskId: id })).json.Response.Status).toBe('ABORTED');
    expect(codeOf(await act('ManageTask', { TaskId: id, OperationType: 'Abort' }))).toBe('FailedOperation');
  });

  it('fails inside a finished task', async () => {
    const id = await create({ Prompt: '[[twin:moderation]]' });
    now += 10_000;
    const { AigcVideoTask: slot, Status } = (await act('DescribeTaskDetail', { TaskId: id })).json.Response;
    expect(Status).toBe('FINISH');
    expect(slot).toMatchObject({ ErrCode: 70_000, ErrCodeExt: 'InvalidParameter.VoilationContent', Output: null });
  });

  it.each<[string, object, string]>([
    ['a foreign application', { SubAppId: 1 }, 'InvalidParameterValue.SubAppId'],
    ['an unknown version', { ModelVersion: '9' }, 'InvalidParameterValue'],
    ['an unknown field', { Model: 'x' }, 'UnknownParameter'],
    ['a field of another case', { outputConfig: {} }, 'UnknownParameter'],
    ['seconds as text', { OutputConfig: { Duration: '5' } }, 'InvalidParameter'],
    ['two seconds', { OutputConfig: { Duration: 2 } }, 'InvalidParameterValue'],
    ['a truth value for a switch', { OutputConfig: { AudioGeneration: true } }, 'InvalidParameterValue'],
    ['small letters', { OutputConfig: { Resolution: '720p' } }, 'InvalidParameterValue'],
    [
      'sound over a reference video',
      {
        FileInfos: [{ Category: 'Video', Url: 'https://a.b/c.mp4', ReferenceType: 'base' }],
        OutputConfig: { AudioGeneration: 'Enabled' },
      },
      'InvalidParameterValue',
    ],
    ['a last frame alone', { LastFrameUrl: 'https://a.b/c.png' }, 'InvalidParameterValue'],
    [
      'a data URL as base64',
      { FileInfos: [{ Type: 'Base64', Base64: 'data:image/png;base64,AA' }] },
      'InvalidParameterValue',
    ],
    ['a rounded element', { SubjectInfos: [{ Id: '860000000000000100' }] }, 'InvalidParameterValue'],
    ['no prompt', { Prompt: '' }, 'MissingParameter'],
  ])('refuses %s', async (_, fields, code) => {
    expect(codeOf(await act('CreateAigcVideoTask', { ...OMNI, Prompt: 'a', ...fields }))).toBe(code);
  });

  it('takes an element it made, with every digit', async () => {
    await expect(create({ SubjectInfos: [{ Id: '860000000000000123' }] })).resolves.toContain('AigcVideoTask');
  });

  it('says rate limits on a 200', async () => {
    twin.faults.next('tencent-vod', 'create', { kind: 'status', status: 429 });
    expect(codeOf(await act('CreateAigcVideoTask', { ...OMNI, Prompt: 'a' }))).toBe('RequestLimitExceeded');
    expect(codeOf(await act('NoSuchAction', {}))).toBe('InvalidAction');
  });
});

describe('elements', () => {
  const images = JSON.stringify({
    frontal_image: 'https://a.b/1.png',
    refer_images: [{ image_url: 'https://a.b/2.png' }],
  });
  const element = {
    ElementName: 'Mira',
    ElementDescription: 'red coat',
    ReferenceType: 'image_refer',
    ElementImageList: images,
    TagList: '[{"tag_id":"o_102"}]',
  };

  it('are made, listed, used and deleted', async () => {
    const { TaskId } = (await act('CreateAigcAdvancedCustomElement', element)).json.Response as { TaskId: string };
    now += 5000;
    const { CreateAigcAdvancedCustomElementTask: slot } = (await act('DescribeTaskDetail', { TaskId })).json.Response;
    const { ElementId, ElementInfo } = slot.Output.InfoList[0] as { ElementId: string; ElementInfo: string };
    expect(ElementId).toMatch(/^\d{18}$/);
    // The inner text writes the id as a number: a parser that rounds gets another one.
    expect(ElementInfo).toContain(`"element_id":${ElementId},`);
    expect(String((JSON.parse(ElementInfo) as { element_id: number }).element_id)).not.toBe(ElementId);
    await expect(create({ SubjectInfos: [{ Id: ElementId }] })).resolves.toBeDefined();
    expect((await act('DescribeAigcAdvancedCustomElements', { Limit: 10 })).json.Response.ElementSet).toMatchObject([
      { Id: ElementId, Name: 'Mira' },
    ]);
    expect(codeOf(await act('DeleteAigcAdvancedCustomElement', { ElementId }))).toBeUndefined();
    expect(codeOf(await act('DeleteAigcAdvancedCustomElement', { ElementId }))).toBe('ResourceNotFound');
  });

  it.each<[string, object, string]>([
    ['a list that is an object', { ElementImageList: { frontal_image: 'x' } }, 'InvalidParameter'],
    ['a list that is no JSON', { ElementImageList: '{' }, 'InvalidParameterValue'],
    [
      'no other image',
      { ElementImageList: '{"frontal_image":"https://a.b/1.png","refer_images":[]}' },
      'InvalidParameterValue',
    ],
    [
      'the same image again',
      { ElementImageList: '{"frontal_image":"https://a.b/1.png","refer_images":[{"image_url":"https://a.b/1.png"}]}' },
      'InvalidParameterValue',
    ],
    ['a long name', { ElementName: 'x'.repeat(21) }, 'InvalidParameterValue'],
    ['a strange tag', { TagList: '[{"tag_id":"o_999"}]' }, 'InvalidParameterValue'],
  ])('refuse %s', async (_, fields, code) => {
    expect(codeOf(await act('CreateAigcAdvancedCustomElement', { ...element, ...fields }))).toBe(code);
  });
});
