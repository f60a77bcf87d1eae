/** Batches and maintenance jobs that samples name: each is made for its sample, and has ended where it must have. */
import type { createAdmin, createClient } from '@model-gateway/client';
import { until } from '@model-gateway/testing';

const CONTENTS = [{ role: 'user' as const, parts: [{ text: 'When is high tide?' }] }];
const LINE = {
  custom_id: '1',
  method: 'POST',
  url: '/v1/chat/completions',
  body: { model: 'gpt-5.2', messages: [{ role: 'user', content: 'When is high tide?' }] },
};

export class BatchPlaces {
  readonly #client: ReturnType<typeof createClient>;

  constructor(client: ReturnType<typeof createClient>) {
    this.#client = client;
  }

  /** The id of a file with a line. */
  async lines(): Promise<string> {
    const data = new Blob([`${JSON.stringify(LINE)}\n`]);
    return (await this.#client.files.create({ file: { data, name: 'lines.jsonl' }, purpose: 'batch' })).id;
  }

  /** The id of a batch in the form of an operation; one that is not to be cancelled has ended. */
  async for(operation: string): Promise<string> {
    const isToEnd = !operation.startsWith('cancel');
    if (operation.includes('ContentBatch')) return this.#ofContents(isToEnd);
    if (operation.includes('MessageBatch')) return this.#ofMessages(isToEnd);
    return this.#ofFile(isToEnd);
  }

  async #ofFile(isToEnd: boolean): Promise<string> {
    const body = {
      input_file_id: await this.lines(),
      endpoint: '/v1/chat/completions',
      completion_window: '24h',
    } as const;
    const { id } = await this.#client.call('createBatch', { body });
    const path = { batch_id: id };
    if (isToEnd)
      await until(async () => {
        const batch = await this.#client.call('getBatch', { path });
        return 'status' in batch && batch.status === 'completed';
      });
    return id;
  }

  async #ofMessages(isToEnd: boolean): Promise<string> {
    const messages = [{ role: 'user' as const, content: 'When is high tide?' }];
    const params = { model: 'claude-sonnet-5', max_tokens: 64, messages };
    const { id } = await this.#client.batches.create([{ custom_id: '1', params }]);
    if (isToEnd) await this.#client.batches.wait(id);
    return id;
  }

  async #ofContents(isToEnd: boolean): Promise<string> {
    const requests = [{ request: { contents: CONTENTS }, metadata: { key: '1' } }];
    const batch = { displayName: 'tides', inputConfig: { requests: { requests } } };
    const { name } = await this.#client.call('createContentBatch', {
      path: { model: 'gemini-3.1-pro' },
      body: { batch },
    });
    const id = name.replace('batches/', '');
    const path = { batch_id: id };
    if (isToEnd) await until(async () => (await this.#client.call('getContentBatch', { path })).done === true);
    return id;
  }
}

/** The number of a job; one whose file is downloaded has ended. */
export async function newJob(admin: ReturnType<typeof createAdmin>, operation: string): Promise<number> {
  const { id } = await admin.jobs.start({ kind: 'usage_export' });
  if (operation === 'getJobFile' || operation === 'listJobs')
    await until(async () => (await admin.jobs.get(id)).state === 'succeeded');
  return id;
}
