import { GatewayError } from '@model-gateway/contracts';
import {
  malformedReply,
  objectAt,
  removeIfThere,
  textAt,
  type FileAdapter,
  type Upstream,
  type UpstreamRequest,
} from '@model-gateway/provider-kit';

/** Sound and films are looked at before they may be named. */
const MOST_LOOKS = 60;
const LOOK_EVERY_MS = 2_000;

/** Google's files, which it keeps for 48 hours (docs/wire/files.md#google). */
export const files: FileAdapter = {
  async upload({ filename, mime, bytes }, upstream) {
    const what = { name: filename, mime, size: bytes.byteLength };
    return whenActive(await uploadFile(what, { body: bytes, firstByteSeconds: 300 }, upstream), upstream);
  },

  remove: (id, upstream) => removeAt(pathOf(id), upstream),
};

/** Uploads a file in one piece behind an address that is asked for first; the file as Google says it. */
export async function uploadFile(
  { name, mime, size }: { readonly name: string; readonly mime: string; readonly size: number },
  content: Pick<UpstreamRequest, 'body' | 'source' | 'firstByteSeconds'>,
  upstream: Upstream,
): Promise<ReturnType<typeof objectAt>> {
  const begun = await upstream.send({
    method: 'POST',
    path: '/upload/v1beta/files',
    headers: {
      'x-goog-upload-protocol': 'resumable',
      'x-goog-upload-command': 'start',
      'x-goog-upload-header-content-length': String(size),
      'x-goog-upload-header-content-type': mime,
    },
    json: { file: { display_name: name, mime_type: mime } },
  });
  const url = begun.headers['x-goog-upload-url'];
  if (url === undefined) throw malformedReply('an upload without an address');
  const { json } = await upstream.send({
    ...{ method: 'POST', path: '', url, ...content },
    headers: { 'x-goog-upload-offset': '0', 'x-goog-upload-command': 'upload, finalize', 'content-type': mime },
  });
  return objectAt(json, 'file');
}

/** Deletes a file, or a batch, that may be gone. */
export async function removeAt(path: string, upstream: Upstream): Promise<void> {
  try {
    await removeIfThere(upstream, { path });
  } catch (error) {
    // Google says of a file that is gone what it says of a stranger's; of a batch it says that it is not there.
    const isForbidden = path.includes('/files/') && error instanceof GatewayError && error.details.vendorStatus === 403;
    if (!isForbidden) throw error;
  }
}

async function whenActive(uploaded: ReturnType<typeof objectAt>, upstream: Upstream) {
  let file = uploaded;
  for (let looks = 0; ; looks++) {
    const [id, name, state] = [textAt(file, 'name'), textAt(file, 'uri'), textAt(file, 'state')];
    if (id === undefined || name === undefined || state === 'FAILED' || looks === MOST_LOOKS)
      throw malformedReply('an uploaded file that cannot be used');
    const expiresAt = Date.parse(textAt(file, 'expirationTime') ?? '');
    if (state === 'ACTIVE') return { id, name, ...(Number.isFinite(expiresAt) && { expiresAt }) };
    await upstream.pause(LOOK_EVERY_MS);
    const { json } = await upstream.send({ method: 'GET', path: pathOf(id) });
    file = objectAt({ file: json ?? null }, 'file');
  }
}

/** `files/abc` */
function pathOf(id: string): string {
  return `/v1beta/${id.split('/').map(encodeURIComponent).join('/')}`;
}
