/** Pictures that were made. */
import { t } from '../text/text.ts';

export interface Picture {
  readonly url: string;
  readonly prompt: string;
}

/** The pictures of an answer in any of its forms. */
export function readPictures(body: unknown, prompt: string): readonly Picture[] {
  const found: string[] = [];
  const look = (value: unknown): void => {
    if (Array.isArray(value)) {
      value.forEach(look);
      return;
    }
    if (typeof value !== 'object' || value === null) return;
    const { b64_json: base64, url, image, ...others } = value as Readonly<Record<string, unknown>>;
    // Where both are given they are the same picture.
    if (typeof base64 === 'string') found.push(`data:image/${formatOf(base64)};base64,${base64}`);
    else for (const address of [url, image]) if (isPicture(address)) found.push(address);
    Object.values({ ...others, ...(typeof image === 'object' && { image }) }).forEach(look);
  };
  look(body);
  return found.map((url) => ({ url, prompt }));
}

const isPicture = (address: unknown): address is string =>
  typeof address === 'string' && /^(https?:|data:image\/|\/)/.test(address);

/** By the first bytes. */
function formatOf(base64: string): string {
  if (base64.startsWith('/9j/')) return 'jpeg';
  return base64.startsWith('UklGR') ? 'webp' : 'png';
}

export function PictureWall({ pictures }: { pictures: readonly Picture[] }) {
  return (
    <div className="wall">
      {pictures.map(({ url, prompt }, at) => (
        <figure key={`${pictures.length - at}`}>
          <a href={url} target="_blank" rel="noopener noreferrer" aria-label={t('Open the image')}>
            <img src={url} alt={prompt} loading="lazy" />
          </a>
          <figcaption>{prompt}</figcaption>
        </figure>
      ))}
    </div>
  );
}
