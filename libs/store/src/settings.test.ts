import { expect, it } from 'vitest';
import { describeDatabases } from '@model-gateway/testing';
import { openStore } from './index.ts';

describeDatabases('settings', openStore, ({ store, replica }) => {
  it('keep the first value for everybody', async () => {
    const given = Array.from({ length: 16 }, (_, index) => `value ${index}`);
    const kept = await Promise.all(
      given.map(async (value, index) => (index % 2 === 0 ? store() : replica()).settings.first('secret', value)),
    );
    expect(new Set(kept).size).toBe(1);
    expect(given).toContain(kept[0]);
    expect(await store().settings.first('secret', 'another')).toBe(kept[0]);
    expect(await store().settings.first('other', 'mine')).toBe('mine');
  });

  it('are replaced for everybody, known or not', async () => {
    await store().settings.first('old', 'one');
    for (const name of ['old', 'new']) {
      await store().settings.replace(name, 'two');
      expect(await replica().settings.first(name, 'three')).toBe('two');
    }
  });
});
