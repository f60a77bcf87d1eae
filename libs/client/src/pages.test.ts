import { describe, expect, it } from 'vitest';
import { Pages } from './pages.ts';

function numbers(pages: readonly (readonly number[])[]): {
  list: Pages<number>;
  asked: (string | number | undefined)[];
} {
  const asked: (string | number | undefined)[] = [];
  const list = new Pages<number>(async (after) => {
    asked.push(after);
    const index = Number(after ?? 0);
    return { items: pages[index] ?? [], next: index + 1 < pages.length ? index + 1 : undefined };
  });
  return { list, asked };
}

describe('a list', () => {
  it('is every item when iterated', async () => {
    const { list, asked } = numbers([[1, 2], [], [3]]);
    expect(await list.all()).toEqual([1, 2, 3]);
    expect(asked).toEqual([undefined, 1, 2]);
  });

  it('asks for a page when its first item is needed', async () => {
    const { list, asked } = numbers([[1, 2], [3]]);
    expect(asked).toEqual([]);
    for await (const item of list) if (item === 2) break;
    expect(asked).toEqual([undefined]);
    expect(await list.all(2)).toEqual([1, 2]);
    expect(asked).toEqual([undefined, undefined]);
    expect(await list.all(0)).toEqual([]);
    expect(asked).toHaveLength(2);
  });

  it('is a page when awaited', async () => {
    const { list } = numbers([[1], [2]]);
    const first = await list;
    expect(first.items).toEqual([1]);
    expect(first.hasMore).toBe(true);
    const second = await first.next();
    expect(second?.items).toEqual([2]);
    expect(second?.hasMore).toBe(false);
    expect(await second?.next()).toBeUndefined();
  });

  it('passes a failure on', async () => {
    const list = new Pages<number>(() => Promise.reject(new Error('gone')));
    await expect(list.all()).rejects.toThrow('gone');
    await expect(Promise.resolve(list)).rejects.toThrow('gone');
  });
});
