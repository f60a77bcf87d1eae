import { describe, expect, it } from 'vitest';
import { conditionLines, routeRowOf } from './route-row.ts';

describe('what a row says of the way of its requests', () => {
  it('is empty where the row says nothing, and weighted', () => {
    const nothing = { strategy: 'weighted', routes: [], offers: [], fallbacks: [] };
    expect(routeRowOf(null)).toEqual(nothing);
    expect(routeRowOf({ code: 'x', fallbacks: { on_error: [] } })).toEqual(nothing);
  });

  it('has fallbacks in the order of their causes, however they are written', () => {
    const { fallbacks } = routeRowOf({ fallbacks: { on_content_refusal: ['c'], on_error: ['a', 'b'] } });
    expect(fallbacks).toEqual([
      { cause: 'on_error', models: ['a', 'b'] },
      { cause: 'on_content_refusal', models: ['c'] },
    ]);
  });

  it('says conditions in a line each, nested ones too', () => {
    const when = {
      groups: ['free', 'gold'],
      tags: { team: ['ads', 'search-*'] },
      input_tokens: { from: 10, below: 1000 },
      time: { from: '22:00', days: ['mon', 'tue'] },
    };
    expect(conditionLines(when)).toEqual([
      'groups: free, gold',
      'tags: team=ads|search-*',
      'input_tokens: from 10, below 1000',
      'time: from 22:00, days mon, tue',
    ]);
    expect(conditionLines()).toEqual([]);
  });
});
