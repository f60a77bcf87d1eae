/** Where a film's prompt and pictures stand in the body of each family. Pure. */
import type { GivenFile } from '../ui/files.tsx';

export const SCHEMAS = {
  content: 'VideoContentBody',
  input: 'VideoInputBody',
  'image-urls': 'VideoImageUrlsBody',
  omni: 'VideoOmniBody',
  prompt: 'VideoPromptBody',
  seconds: 'VideoSecondsBody',
} as const;
export type FilmShape = keyof typeof SCHEMAS;

export function shapeOf(formats: readonly string[]): FilmShape {
  return (formats.find((format) => format in SCHEMAS) as FilmShape | undefined) ?? 'prompt';
}

/** The first picture is the first frame; a family that takes more gets them in order. */
export function filmBody(shape: FilmShape, model: string, prompt: string, files: readonly GivenFile[]) {
  const urls = files.map(({ url }) => url);
  const [first] = urls;
  switch (shape) {
    case 'content':
      return {
        model,
        content: [
          ...(prompt === '' ? [] : [{ type: 'text', text: prompt }]),
          ...urls.map((url, at) => ({
            type: 'image_url',
            image_url: { url },
            role: at === 0 ? 'first_frame' : 'last_frame',
          })),
        ],
      };
    case 'input':
      return {
        model,
        input: {
          ...(prompt !== '' && { prompt }),
          ...(urls.length > 0 && {
            media: urls.map((url) => ({ type: model.includes('r2v') ? 'reference_image' : 'first_frame', url })),
          }),
        },
      };
    case 'image-urls':
      return { model, prompt, ...(urls.length > 0 && { imageUrls: urls }) };
    case 'omni':
      return {
        model,
        prompt,
        ...(urls.length > 0 && {
          file_infos: urls.map((url) => ({
            Type: 'Base64',
            Category: 'Image',
            Base64: url.slice(url.indexOf(',') + 1),
            Usage: 'FirstFrame',
          })),
        }),
      };
    case 'prompt':
      return { model, prompt, ...(first !== undefined && { first_frame_image: first }) };
    case 'seconds':
      return { model, prompt, ...(first !== undefined && { input_reference: { image_url: first } }) };
  }
}
