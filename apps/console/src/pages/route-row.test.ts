import { describe, expect, it } from 'vitest';
import { conditionLines, keptRow, lacksSteps, routePart, routeRowOf } from './route-row.ts';

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

describe('what a form of a route writes', () => {
  const beneath = {
    ...{ kind: 'chat', strategy: 'cheapest', routes: [{ model: 'a', weight: 2 }] },
    fallbacks: { on_error: ['z'] },
  };

  it('is nothing of what the file says as well', () => {
    const kept = { price: 'free', strategy: 'least_busy' };
    const part = routePart({ ...beneath, ...kept });
    expect(keptRow({ kept: null, beneath }, routePart(beneath))).toEqual({});
    expect(keptRow({ kept, beneath }, part)).toEqual(kept);
    expect(keptRow({ kept, beneath }, { ...part, strategy: 'cheapest' })).toEqual({ price: 'free' });
    expect(keptRow({ kept, beneath: null }, part)).toEqual({ price: 'free', ...part });
  });

  it('says it where a strategy or fallbacks of the file are not to hold', () => {
    const { routes } = beneath;
    expect(keptRow({ kept: null, beneath }, { routes })).toEqual({ strategy: 'weighted', fallbacks: {} });
    expect(keptRow({ kept: beneath, beneath: null }, { routes })).toEqual({ kind: 'chat', routes });
  });

  it('is refused without the steps that the file has', () => {
    expect(lacksSteps({ beneath }, {})).toBe(true);
    expect(lacksSteps({ beneath }, routePart(beneath))).toBe(false);
    expect(lacksSteps({ beneath: { kind: 'chat' } }, {})).toBe(false);
    expect(lacksSteps({ beneath: null }, {})).toBe(false);
  });
});
