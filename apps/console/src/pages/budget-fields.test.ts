import { describe, expect, it } from 'vitest';
import {
  createBody,
  fieldsOf,
  lacksShares,
  NEW_BUDGET,
  percentOf,
  shareOf,
  updateBody,
  wrongShare,
  type Rule,
} from './budget-fields.ts';

const RULE: Rule = {
  ...{ object: 'budget_rule', id: 1, name: 'red', scope: 'tag', tag: 'team', values: ['a', 'b'], each: true },
  ...{ window: 'week', limit: 12.5, action: 'alert', alert_at: [0.5, 1], declared: false },
};

it.each([
  ['80', 0.8],
  ['80 %', 0.8],
  ['33.3%', 0.333],
  ['12,5', 0.125],
  ['150', 1.5],
  ['0', undefined],
  ['-5', undefined],
  ['', undefined],
  [' ', undefined],
  ['half', undefined],
  ['1001', undefined],
])('reads the share %j', (typed, share) => {
  expect(shareOf(typed)).toBe(share);
  if (share !== undefined) expect(shareOf(percentOf(share))).toBe(share);
});

describe('a new budget', () => {
  it('has what was said, and nothing else', () => {
    const fields = { ...NEW_BUDGET, name: ' red ', limit: 9 };
    expect(createBody(fields)).toEqual({ name: 'red', scope: 'owner', each: false, window: 'month', limit: 9, action: 'refuse' }); // prettier-ignore
  });

  it('has a tag, whose, and shares where it is of a tag and has them', () => {
    const { object: _object, id: _id, declared: _declared, ...members } = RULE;
    expect(createBody(fieldsOf(RULE))).toEqual(members);
    expect(createBody({ ...fieldsOf(RULE), scope: 'key' })).not.toHaveProperty('tag');
    expect(createBody({ ...fieldsOf(RULE), alerts: 'none' }).alert_at).toEqual([]);
    expect(createBody({ ...fieldsOf(RULE), alerts: 'general' })).not.toHaveProperty('alert_at');
    expect(createBody({ ...fieldsOf(RULE), shares: ['100', '50 %'] }).alert_at).toEqual([0.5, 1]);
  });

  it('knows what is no share, where shares count', () => {
    const fields = { ...fieldsOf(RULE), shares: ['50', 'all'] };
    expect([wrongShare(fields), wrongShare({ ...fields, alerts: 'general' }), wrongShare(fieldsOf(RULE))]).toEqual(['all', undefined, undefined]); // prettier-ignore
  });
});

it('shares of its own are at least one', () => {
  const fields = { ...fieldsOf(RULE), shares: [] };
  expect([lacksShares(fields), lacksShares({ ...fields, alerts: 'none' }), lacksShares(fieldsOf(RULE))]).toEqual([true, false, false]); // prettier-ignore
});

it.each([
  { name: 'nothing', changed: {}, body: undefined },
  { name: 'the limit alone', changed: { limit: 20 }, body: { limit: 20 } },
  { name: 'no names', changed: { values: [] }, body: { values: null } },
  { name: 'another scope', changed: { scope: 'key', values: ['k'] }, body: { scope: 'key', tag: null, values: ['k'] } },
  { name: 'the shares of all', changed: { alerts: 'general' }, body: { alert_at: null } },
  { name: 'no share', changed: { alerts: 'none' }, body: { alert_at: [] } },
] as const)('a change of $name', ({ changed, body }) => {
  expect(updateBody(RULE, { ...fieldsOf(RULE), ...changed })).toEqual(body);
  const plain: Rule = { ...RULE, alert_at: null };
  expect(updateBody(plain, fieldsOf(plain))).toBeUndefined();
});
