/** What `gateway image` does. */
import { writeFile } from 'node:fs/promises';
import { bytesOf, picturesOf, type Client, type Picture } from '@model-gateway/client';
import { sayTo } from '../../commands/output.ts';
import type { Terminal } from '../../commands/terminal.ts';
import { modelOf, neededText, withClient, type ClientOptions } from '../../commands/client-command.ts';
import { endingOf, pathFor } from '../../commands/result-files.ts';

export interface ImageOptions extends ClientOptions {
  readonly size?: string;
  readonly count?: number;
  readonly image?: readonly string[];
  readonly out?: string;
}

/** Makes pictures and saves them. */
export async function image(terminal: Terminal, words: readonly string[], options: ImageOptions): Promise<void> {
  const model = modelOf(options, 'image');
  const prompt = await neededText(terminal, words, 'image');
  await withClient(terminal, options, async (client) => {
    const result = await (options.image === undefined
      ? client.images.generate(await bodyOf(client, model, prompt, options))
      : client.images.edit({
          model,
          prompt,
          image: options.image.map((path) => ({ path })),
          ...sizeAndCount(options),
        }));
    const pictures = picturesOf(result);
    const files: string[] = [];
    for (const [index, picture] of pictures.entries())
      files.push(await save(client, picture, options.out, { index, count: pictures.length }));
    sayTo(terminal, options)({ ...result, files }, () => files.join('\n'));
  });
}

type Body = Parameters<Client['images']['generate']>[0];

/** In the model's own form. */
async function bodyOf(client: Client, model: string, prompt: string, options: ImageOptions): Promise<Body> {
  const { formats } = await client.models.get(model);
  if (!formats.includes('messages')) return { model, prompt, ...sizeAndCount(options) };
  return {
    model,
    input: { messages: [{ role: 'user', content: [{ text: prompt }] }] },
    parameters: sizeAndCount(options),
  };
}

function sizeAndCount({ size, count }: ImageOptions) {
  return { ...(size !== undefined && { size }), ...(count !== undefined && { n: count }) };
}

async function save(
  client: Client,
  { url, b64_json: embedded }: Picture,
  asked: string | undefined,
  place: { readonly index: number; readonly count: number },
): Promise<string> {
  if (url !== undefined) {
    const file = await client.file(url);
    const path = pathFor(asked, 'image', endingOf(file.contentType), place);
    await file.save(path);
    return path;
  }
  const bytes = bytesOf(embedded ?? '');
  const path = pathFor(asked, 'image', typeOf(bytes), place);
  await writeFile(path, bytes);
  return path;
}

/** By its first bytes. */
function typeOf(bytes: Uint8Array): string {
  if (bytes[0] === 0xff && bytes[1] === 0xd8) return 'jpg';
  return bytes[0] === 0x52 && bytes[8] === 0x57 ? 'webp' : 'png';
}
