/** What removals take for gone, of files, batches and cached contents. */
import { describe, expect, it } from 'vitest';
import { GatewayError, type ErrorCode } from '@model-gateway/contracts';
import type { Upstream } from '@model-gateway/provider-kit';
import { batches } from './batches.ts';
import { contextCaches } from './context-caches.ts';
import { files } from './files.ts';

const FORBIDDEN = 'You do not have permission to access the File a or it may not exist.';
const REMOVALS: Readonly<Record<string, (upstream: Upstream) => Promise<void>>> = {
  'a file': (upstream) => files.remove('files/a', upstream),
  'a batch': (upstream) => batches.remove({ id: 'batches/a' }, upstream),
  'a batch’s file': (upstream) => batches.remove({ file: 'files/a' }, upstream),
  'a cached content': (upstream) => contextCaches.remove('cachedContents/a', upstream),
};

/** A vendor that refuses everything so. */
function refusing(code: ErrorCode, message: string, vendorStatus: number): Upstream {
  const error = new GatewayError(code, message, { vendorStatus, vendorWords: message });
  return { account: { settings: {} }, send: () => Promise.reject(error) } as unknown as Upstream;
}

describe.each(Object.entries(REMOVALS))('%s', (name, remove) => {
  const isFile = name.endsWith('file');

  it('that its vendor does not know is gone', async () => {
    await expect(remove(refusing('task_not_exist', 'not found', 404))).resolves.toBeUndefined();
  });

  it('that is forbidden is gone where Google says so of what is gone', async () => {
    const removed = remove(refusing('invalid_request', FORBIDDEN, 403));
    await (isFile ? expect(removed).resolves.toBeUndefined() : expect(removed).rejects.toThrow(FORBIDDEN));
  });

  it('is still there where its name, or the account, is refused', async () => {
    await expect(remove(refusing('invalid_request', 'Invalid name.', 400))).rejects.toThrow('Invalid name.');
    await expect(remove(refusing('upstream_unavailable', 'Try again.', 503))).rejects.toThrow('Try again.');
  });
});

it('a cached content is gone by Google’s sentence', async () => {
  const words = 'CachedContent not found (or permission denied)';
  await expect(
    contextCaches.remove('cachedContents/a', refusing('invalid_request', words, 403)),
  ).resolves.toBeUndefined();
});
