/** The multipart form of POST /v1/videos as the JSON body it stands for; its picture becomes a data: URL. */
import { Busboy } from '@fastify/busboy';
import type { Request } from 'express';
import { fileTypeFromBuffer } from 'file-type';
import { GatewayError, type JsonObject } from '@model-gateway/contracts';

const MOST_FIELDS = 50;
const LONGEST_FIELD = 64 * 1024;
const LARGEST_FILE = 30 * 1024 * 1024;
const PICTURES = ['image/png', 'image/jpeg', 'image/webp'];

/** Reads the form; throws `invalid_request`, `body_too_large` naming the field. */
export async function readVideoForm(request: Request): Promise<JsonObject> {
  const body: JsonObject = {};
  const files: { name: string; chunks: Buffer[] }[] = [];
  let fault: GatewayError | undefined;
  await new Promise<void>((done, reject) => {
    let form: InstanceType<typeof Busboy>;
    try {
      form = new Busboy({
        headers: request.headers as { 'content-type': string },
        limits: { fields: MOST_FIELDS, fieldSize: LONGEST_FIELD, files: 1, fileSize: LARGEST_FILE },
      });
    } catch {
      reject(new GatewayError('invalid_request', 'the multipart form has no boundary in its content-type'));
      return;
    }
    form.on('field', (name: string, value: string, _nameCut: boolean, valueCut: boolean) => {
      if (valueCut)
        fault ??= new GatewayError('body_too_large', `the field ${name} is longer than ${LONGEST_FIELD} bytes`, {
          param: name,
        });
      body[name] = value;
    });
    form.on('file', (name: string, stream: NodeJS.ReadableStream) => {
      const chunks: Buffer[] = [];
      files.push({ name, chunks });
      stream.on('data', (chunk: Buffer) => chunks.push(chunk));
      stream.on('limit', () => {
        fault ??= new GatewayError(
          'body_too_large',
          `the file ${name} is larger than ${LARGEST_FILE / 1024 / 1024} MB`,
          { param: name },
        );
      });
    });
    form.on('filesLimit', () => {
      fault ??= new GatewayError('invalid_request', 'a video takes one input_reference file', {
        param: 'input_reference',
      });
    });
    form.on('finish', done);
    form.on('error', () =>
      reject(new GatewayError('invalid_request', 'the multipart form is broken or ends too early')),
    );
    request.on('aborted', () => reject(new GatewayError('invalid_request', 'the multipart form ends too early')));
    request.pipe(form);
  });
  if (fault !== undefined) throw fault;
  for (const { name, chunks } of files) {
    if (name !== 'input_reference')
      throw new GatewayError(
        'invalid_request',
        `${name} is no file field here; the picture goes into input_reference`,
        { param: name },
      );
    const bytes = Buffer.concat(chunks);
    const mime = (await fileTypeFromBuffer(bytes))?.mime ?? 'unknown';
    if (!PICTURES.includes(mime))
      throw new GatewayError(
        'invalid_request',
        `input_reference is ${mime}; it must be one of ${PICTURES.join(', ')}`,
        { param: 'input_reference' },
      );
    body['input_reference'] = { image_url: `data:${mime};base64,${bytes.toString('base64')}` };
  }
  return body;
}
