/** Embedded videos for a vendor that takes addresses only (Ark: docs/wire/ark.md#content-items): kept by us for a while and handed on as a link of our own. */
import { inOnePiece, readDataUrl, type VideoCreate } from '@model-gateway/provider-kit';
import { withUrls } from '../kinds/video/media-limits.ts';
import { wrong } from '../kinds/video/shapes/fields.ts';
import type { TaskRecord } from '../ports.ts';
import type { TaskParts } from './types.ts';

/** The vendor fetches when the job begins, which may be long after it was queued. */
const KEEP_HOURS = 48;
const INSIDE = /^(?:localhost|127\.|10\.|192\.168\.|169\.254\.|172\.(?:1[6-9]|2\d|3[01])\.|\[::1\]|\[f[cde])/i;

type Draft = Pick<VideoCreate, 'shape' | 'videos'>;

/** 400 for embedded videos that the vendor could not fetch from us. `vendorInside`: it runs beside us (the twin) and reaches addresses that others do not. */
export function requireFetchable(
  { blobs, publicUrl }: Pick<TaskParts, 'blobs' | 'publicUrl'>,
  draft: Draft,
  vendorInside: boolean,
): void {
  const video = embeddedOf(draft)[0];
  if (video === undefined) return;
  const reachable = vendorInside || !INSIDE.test(new URL(publicUrl()).host);
  if (blobs !== undefined && reachable) return;
  throw wrong(
    video.param,
    'must be a web address or an asset:// identifier: the vendor takes no embedded videos, and this gateway has no public address from which it could fetch one',
  );
}

/** Replaces embedded videos by links of our own, which die with the task. */
export async function hostVideos(
  parts: Pick<TaskParts, 'blobs' | 'links' | 'store' | 'randomId' | 'now'>,
  input: VideoCreate,
  task: Pick<TaskRecord, 'id' | 'ownerId' | 'mode'>,
): Promise<VideoCreate> {
  const { blobs, links, store, now } = parts;
  if (embeddedOf(input).length === 0 || blobs === undefined) return input;
  const videos = await Promise.all(
    input.videos.map(async (video) => {
      const media = readDataUrl(video.url, video.param);
      if (media === undefined) return video;
      const id = parts.randomId();
      const kept = await blobs.put(`${id}.mp4`, 'video/mp4', inOnePiece(Buffer.from(media.base64, 'base64')));
      const expiresAt = now() + KEEP_HOURS * 3_600_000;
      const { ownerId, mode } = task;
      const file = { id, ownerId, mode, taskId: task.id, mime: 'video/mp4', ...kept, createdAt: now(), expiresAt };
      await store.files.create(file);
      return { ...video, url: links.link('file', id, Math.floor(expiresAt / 1000)) };
    }),
  );
  return withUrls({ ...input, videos });
}

/** Only the shape of family A embeds videos. */
function embeddedOf({ shape, videos }: Draft): Draft['videos'] {
  return shape === 'content' ? videos.filter(({ url }) => isEmbedded(url)) : [];
}

function isEmbedded(url: string): boolean {
  return /^data:/i.test(url.slice(0, 5));
}
