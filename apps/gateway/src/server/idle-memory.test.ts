/** When memory is given back: after half a minute of quiet, once, and only if it is worth a pause. */
import { describe, expect, it } from 'vitest';
import { idleMemoryLook } from './idle-memory.ts';

const MEGABYTE = 1024 * 1024;

/** Looks at a process that is as busy and as large as it is told; collecting makes it small. */
function watched({ large = 300, small = 100 } = {}) {
  const state = { busy: 0, megabytes: large, collected: 0 };
  const look = idleMemoryLook({
    busy: () => state.busy,
    resident: () => state.megabytes * MEGABYTE,
    collect: () => {
      state.collected += 1;
      state.megabytes = small;
    },
  });
  return {
    state,
    look(times: number, change: Partial<typeof state> = {}) {
      Object.assign(state, change);
      for (let count = 0; count < times; count++) look();
      return state.collected;
    },
  };
}

describe('memory is given back', () => {
  it('after six quiet looks, and not again while nothing comes', () => {
    const { look } = watched();
    expect(look(5)).toBe(0);
    expect(look(1)).toBe(1);
    expect(look(100)).toBe(1);
  });

  it('not while there is something to do, however little between', () => {
    const { look } = watched();
    for (let round = 0; round < 20; round++) {
      look(5, { busy: 0.01 });
      look(1, { busy: 0.1 });
    }
    expect(look(0)).toBe(0);
  });

  it('again when a busy time has taken more than 32 MB', () => {
    const { look } = watched();
    look(7);
    look(3, { busy: 0.9, megabytes: 131 });
    expect(look(50, { busy: 0 })).toBe(1);
    look(3, { busy: 0.9, megabytes: 133 });
    expect(look(50, { busy: 0 })).toBe(2);
  });

  it('under a load so small that it is all quiet, too', () => {
    const { look } = watched();
    look(7);
    for (let megabytes = 100; megabytes <= 140; megabytes++) look(1, { busy: 0.01, megabytes });
    expect(look(0)).toBe(2);
  });

  it('not again and again where collecting does not help', () => {
    const { look } = watched({ large: 300, small: 290 });
    look(7);
    for (let round = 0; round < 10; round++) {
      look(1, { busy: 0.9 });
      look(20, { busy: 0 });
    }
    expect(look(0)).toBe(1);
  });
});
