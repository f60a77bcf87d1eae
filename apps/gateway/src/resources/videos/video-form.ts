import type { Request } from 'express';
import { GatewayError, type JsonObject } from '@model-gateway/contracts';
import type { BodyHold } from '../../http/steps/body-budget.ts';
import { readForm } from '../../http/form.ts';

const LARGEST_FILE = 30 * 1024 * 1024;
const PICTURES = ['image/png', 'image/jpeg', 'image/webp'];

/** Fields of a form, by which OpenAI's SDK names a video: `video[id]`. Throws `invalid_request` for a file. */
export async function readChangeForm(request: Request, hold: BodyHold | undefined): Promise<JsonObject> {
  const form = await readForm(request, { mostFiles: 1, largestFile: LARGEST_FILE, largestBody: LARGEST_FILE, hold });
  try {
    if (form.files.length > 0)
      throw new GatewayError('invalid_request', 'video: name a finished video of yours by its id, not a file', {
        param: 'video',
      });
    const { 'video[id]': id, ...fields }: JsonObject = Object.fromEntries(form.fields);
    return { ...fields, ...(id !== undefined && { video: { id } }) };
  } finally {
    await form.dispose();
  }
}

/** Reads the form; throws `invalid_request`, `body_too_large` naming the field. */
export async function readVideoForm(request: Request, hold: BodyHold | undefined): Promise<JsonObject> {
  const form = await readForm(request, {
    mostFiles: 1,
    largestFile: LARGEST_FILE,
    largestBody: LARGEST_FILE + 1024 * 1024,
    hold,
  });
  try {
    const body: JsonObject = Object.fromEntries(form.fields);
    const [file] = form.files;
    if (file === undefined) return body;
    if (file.name !== 'input_reference') {
      throw new GatewayError(
        'invalid_request',
        `${file.name} is not a file field here; send the image as input_reference`,
        { param: file.name },
      );
    }
    if (!PICTURES.includes(file.mime)) {
      throw new GatewayError(
        'invalid_request',
        `input_reference is ${file.mime === '' ? 'not an image' : file.mime}; it must be one of ${PICTURES.join(', ')}`,
        { param: 'input_reference' },
      );
    }
    const chunks: Uint8Array[] = [];
    for await (const chunk of file.open()) chunks.push(chunk);
    return {
      ...body,
      input_reference: { image_url: `data:${file.mime};base64,${Buffer.concat(chunks).toString('base64')}` },
    };
  } finally {
    await form.dispose();
  }
}
