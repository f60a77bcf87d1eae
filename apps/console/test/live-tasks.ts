/// <reference lib="dom" />
/** Tasks that are open are followed by their events: nothing is asked for twice to see them end. */
import { expect, it } from 'vitest';
import { createClient } from '@model-gateway/client';
import type { TestGateway } from '@model-gateway/testing';
import type { Driver } from './console-driver.ts';

const LIST = /\/v1\/video\/generations(\?|$)/;

export function liveTasks({ open, close, signIn }: Driver, gateway: () => TestGateway): void {
  it('follows open tasks by their events, in the list and beside it', async () => {
    const { url, testKey } = gateway();
    const client = createClient({ baseUrl: url, apiKey: testKey });
    const film = await client.videos
      .create({ model: 'doubao-seedance-2-0', content: [{ type: 'text', text: 'a lighthouse' }] })
      .wait();
    const page = await open();
    // The list says that it is being made, whenever it is asked: only its events can say that it has ended.
    await page.route(LIST, async (route) => {
      const reply = await route.fetch();
      const body = (await reply.json()) as { data: { items: Record<string, unknown>[] } };
      const items = body.data.items.map((item) => ({
        ...item,
        status: 'IN_PROGRESS',
        progress: '40%',
        finish_time: 0,
      }));
      await route.fulfill({ response: reply, json: { ...body, data: { ...body.data, items } } });
    });
    await signIn(page, testKey, 'tasks');
    await page.locator('.line').first().getByText('SUCCESS').waitFor();
    expect(film.status).toBe('SUCCESS');
    await close(page);
  });
}
