import { elementId, textOf } from '../core/values.ts';
import type { Exchange } from '../core/exchange.ts';
import type { Reader } from '../core/reader.ts';
import { startJob } from '../core/work.ts';
import { isJsonObject } from '@model-gateway/contracts';
import { complainAsTencent, tencentRefusal } from './errors.ts';
import { requireNewSession } from './create-video.ts';

const FIELDS = new Set(
  (
    'SubAppId ElementName ElementDescription ReferenceType ElementImageList ElementVideoList ElementVoiceId TagList ' +
    'DisableModeration SessionId SessionContext TasksPriority'
  ).split(' '),
);

/** `CreateAigcAdvancedCustomElement`: its lists are JSON in text (docs/wire/tencent-vod.md#subjects). */
export async function createElement(exchange: Exchange): Promise<void> {
  const body = exchange.json(complainAsTencent);
  body.only(FIELDS);
  const name = body.string('ElementName', 20);
  const description = body.string('ElementDescription', 100);
  const type = body.oneOf('ReferenceType', ['image_refer', 'video_refer'] as const);
  if (type === 'image_refer') checkImages(body);
  else checkVideos(body);
  const tags = body.optionalString('TagList') ?? '';
  if (tags !== '') checkTags(body);
  body.optionalOneOf('DisableModeration', ['True', 'False'] as const);
  const session = requireNewSession(exchange, body);
  const markers = await exchange.obey(description);
  const { stage } = exchange;
  const job = startJob(exchange, markers, {
    id: `${body.integer('SubAppId')}-CreateAigcAdvancedCustomElement-${stage.newId('')}t`,
    kind: 'subject',
    model: 'Kling element',
    prompt: `${name} ${description}`,
    ...(session !== undefined && { dedupeKey: session }),
    usage: {},
    details: {
      input: {
        ElementName: name,
        ElementDescription: description,
        ReferenceType: type,
        ElementVoiceId: body.optionalString('ElementVoiceId') ?? '',
        ElementVideoList: body.optionalString('ElementVideoList') ?? '',
        ElementImageList: body.optionalString('ElementImageList') ?? '',
        TagList: tags,
      },
      session: session ?? '',
      context: body.optionalString('SessionContext', 1000) ?? '',
      element: elementId(stage.jobs.created),
    },
  });
  exchange.reply(200, { Response: { TaskId: job.id, RequestId: stage.newId('') } });
}

function parsed(body: Reader, name: string): unknown {
  const text = body.string(name);
  try {
    return JSON.parse(text) as unknown;
  } catch {
    throw tencentRefusal('InvalidParameterValue', `The value of \`${name}\` is not valid JSON.`);
  }
}

function checkImages(body: Reader): void {
  const list = parsed(body, 'ElementImageList');
  const others = isJsonObject(list) && Array.isArray(list['refer_images']) ? list['refer_images'] : [];
  const frontal = isJsonObject(list) ? list['frontal_image'] : undefined;
  const urls = others.map((item) => (isJsonObject(item) ? item['image_url'] : undefined));
  const sound = typeof frontal === 'string' && urls.every((url) => typeof url === 'string' && url !== frontal);
  if (!sound || urls.length < 1 || urls.length > 3) {
    body.fail('ElementImageList', 'a frontal_image and one to three refer_images that differ from it');
  }
}

function checkVideos(body: Reader): void {
  const list = parsed(body, 'ElementVideoList');
  const videos = isJsonObject(list) && Array.isArray(list['refer_videos']) ? list['refer_videos'] : [];
  const [only] = videos;
  if (videos.length !== 1 || !isJsonObject(only) || typeof only['video_url'] !== 'string') {
    body.fail('ElementVideoList', 'exactly one item in refer_videos');
  }
}

function checkTags(body: Reader): void {
  const list = parsed(body, 'TagList');
  const known =
    Array.isArray(list) && list.every((item) => isJsonObject(item) && /^o_10[1-8]$/.test(textOf(item['tag_id'])));
  if (!known) body.fail('TagList', 'a list of {tag_id: o_101 … o_108}');
}
