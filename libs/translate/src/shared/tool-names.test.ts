import { describe, expect, it } from 'vitest';
import { createToolNames, namesOf, restoreToolNames } from './tool-names.ts';

describe('createToolNames', () => {
  const long = 'x'.repeat(65);

  it.each([
    { name: 'a name that fits', from: 'get_weather-2', to: /^get_weather-2$/ },
    { name: 'dots and colons', from: 'my.tool:run', to: /^my_tool_run_[0-9a-f]{8}$/ },
    { name: 'too long', from: long, to: /^x{55}_[0-9a-f]{8}$/ },
    { name: 'nothing left', from: '中文', to: /^___[0-9a-f]{8}$/ },
  ])('$name', ({ from, to }) => {
    const names = createToolNames([from]);
    const wire = names.toWire(from);
    expect(wire).toMatch(to);
    expect(names.toWire(from)).toBe(wire);
    expect(names.undo.get(wire) ?? wire).toBe(from);
  });

  it('never gives a renamed tool the name of another', () => {
    const first = createToolNames(['a.b']).toWire('a.b');
    const names = createToolNames(['a.b', first]);
    expect(names.toWire('a.b')).not.toBe(first);
    expect(names.toWire(first)).toBe(first);
    expect(names.undo.size).toBe(1);
  });

  it('keeps names that differ only in what is replaced apart', () => {
    const names = createToolNames(['a.b', 'a:b']);
    expect(names.toWire('a.b')).not.toBe(names.toWire('a:b'));
  });
});

describe('a name of more than 4,096 characters', () => {
  const refusal = 'tools: the name of a tool has 4097 characters; send at most 4096';
  const longest = 'é'.repeat(4096);

  it('is refused, of a tool and of a call; one of 4,096 is renamed', () => {
    const tool = (name: string) => ({ tools: [{ type: 'function' as const, name, parameters: {} }], turns: [] });
    expect(namesOf(tool(longest))).toEqual(new Set([longest]));
    expect(createToolNames([longest]).toWire(longest).length).toBeLessThanOrEqual(64);
    expect(() => namesOf(tool(`${longest}x`))).toThrow(refusal);
    const call = { type: 'tool-call', id: 'c', name: `${longest}x`, kind: 'function', arguments: '' } as const;
    expect(() => namesOf({ tools: [], turns: [{ role: 'assistant', parts: [call] }] })).toThrow(refusal);
    expect(() => createToolNames([]).toWire(`${longest}x`)).toThrow(refusal);
  });
});

describe('undoing', () => {
  const undo = new Map([['a_b_1', 'a.b']]);

  it('gives calls their own names back', () => {
    const call = { type: 'tool-call', id: 'c', name: 'a_b_1', kind: 'function', arguments: '' } as const;
    const reply = { choices: [{ parts: [call, { ...call, name: 'other' }], stop: 'tool-calls' as const }] };
    expect(restoreToolNames(reply, undo).choices[0]?.parts).toEqual([
      { ...call, name: 'a.b' },
      { ...call, name: 'other' },
    ]);
    expect(restoreToolNames(reply, undefined)).toBe(reply);
  });

  it('finds names of tools and of the history', () => {
    const call = { type: 'tool-call', id: 'c', name: 'old', kind: 'function', arguments: '' } as const;
    const turns = [{ role: 'assistant', parts: [call] } as const];
    expect([...namesOf({ tools: [{ type: 'function', name: 'new' }, { type: 'web-search' }], turns })]).toEqual([
      'new',
      'old',
    ]);
  });
});
