import { t } from '../text/text.ts';

/** A finished film, streamed by the gateway. */
export function Film({ id }: { id: string }) {
  return (
    <video
      className="film"
      controls
      preload="metadata"
      playsInline
      src={`/v1/videos/${encodeURIComponent(id)}/content`}
      aria-label={t('Video {id}', { id })}
    />
  );
}
