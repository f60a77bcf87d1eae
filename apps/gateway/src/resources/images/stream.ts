/** A stream of pictures as its caller reads it: Seedream's own event names for its bodies, OpenAI's for the others. */
import type { JsonObject } from '@model-gateway/contracts';
import type { ImageCall, ImageEvent } from '@model-gateway/core';
import { faultItem, pictureItem, tokensOf } from './picture.ts';

/** The texts of the events as they are sent. `created` is in unix seconds. */
export async function* imageStreamOf(
  { row, input }: Pick<ImageCall, 'row' | 'input'>,
  events: AsyncIterable<ImageEvent>,
  created: number,
): AsyncGenerator<string, void, undefined> {
  const isSeedream = row.imageShape === 'prompt';
  const prefix = input.shape === 'edit' ? 'image_edit' : 'image_generation';
  const place = (index: number): JsonObject => ({ model: row.code, created, image_index: index });
  let last: JsonObject | undefined;
  for await (const event of events) {
    if (event.type === 'partial') {
      yield textOf(`${prefix}.partial_image`, {
        ...pictureItem(event.picture),
        partial_image_index: event.index,
        created_at: created,
        ...event.echo,
      });
    } else if (event.type === 'image') {
      const picture = pictureItem(event.picture);
      if (isSeedream) yield textOf(`${prefix}.partial_succeeded`, { ...place(event.index), ...picture, ...event.echo });
      else last = { ...picture, created_at: created, ...event.echo };
    } else if (event.type === 'failed') {
      yield textOf(`${prefix}.partial_failed`, { ...place(event.index), ...faultItem(event.fault) });
    } else if (event.type === 'completed') {
      yield textOf(`${prefix}.completed`, {
        ...(isSeedream && { model: row.code, created }),
        ...last,
        usage: event.vendorUsage ?? tokensOf(event.usage),
      });
    } else {
      const { code, message } = event.error;
      yield textOf('error', { error: { code, message } });
    }
  }
  if (isSeedream) yield 'data: [DONE]\n\n';
}

function textOf(type: string, data: JsonObject): string {
  return `event: ${type}\ndata: ${JSON.stringify({ type, ...data })}\n\n`;
}
