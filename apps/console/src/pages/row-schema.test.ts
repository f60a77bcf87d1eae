import { describe, expect, it } from 'vitest';
import {
  membersOf,
  pathText,
  stepsOf,
  typedValue,
  valueAt,
  withValue,
  type JsonSchema,
  type Member,
} from './row-schema.ts';

const reference = { type: 'string', pattern: '\\$\\{' };
const text = { type: 'string' };
const dollars = { anyOf: [{ type: 'number' }, reference] };

/** The forms that the gateway's schema has, a few of each. */
const schema: JsonSchema = {
  properties: {
    models: {
      type: 'array',
      items: {
        required: ['code'],
        properties: {
          code: text,
          kind: { description: 'What `it` makes.', anyOf: [{ type: 'string', enum: ['chat', 'image'] }, reference] },
          aliases: { type: 'array', items: text },
          learn: { anyOf: [{ type: 'boolean' }, reference] },
          offers: {
            type: 'array',
            items: { required: ['account'], properties: { account: text, weight: dollars } },
          },
          price: { $ref: '#/$defs/Price' },
          retries: { type: 'object', additionalProperties: { type: 'object', properties: { attempts: dollars } } },
          anything: {},
        },
      },
    },
    accounts: {
      type: 'array',
      items: { properties: { name: text, credentials: { type: 'object', additionalProperties: text } } },
    },
  },
  $defs: { Price: { type: 'object', properties: { input: dollars } } },
};
const named = (members: readonly Member[], name: string) => members.find((each) => each.name === name)?.shape;

describe('the form of a row, by the schema that the gateway serves', () => {
  it('has a field for everything that a row may say, and none for its name', () => {
    const models = membersOf(schema, 'models');
    const accounts = membersOf(schema, 'accounts');
    expect(models.map(({ name, shape }) => `${name} ${shape.is}`)).toEqual([
      'kind scalar',
      'aliases list',
      'learn scalar',
      'offers rows',
      'price object',
      'retries json',
      'anything json',
    ]);
    expect(models[0]?.about).toBe('What it makes.');
    expect([...models, ...accounts].filter(({ name }) => name === 'code' || name === 'name')).toEqual([]);
    expect(named(models, 'kind')).toMatchObject({
      is: 'scalar',
      isNumber: false,
      words: ['chat', 'image'],
    });
    expect(named(models, 'aliases')).toMatchObject({ is: 'list' });
    expect(named(accounts, 'credentials')).toEqual({ is: 'map' });
    const offers = named(models, 'offers');
    expect(offers?.is === 'rows' && offers.members.find(({ name }) => name === 'account')?.isRequired).toBe(true);
    const price = named(models, 'price');
    expect(price?.is === 'object' && named(price.members, 'input')).toMatchObject({ is: 'scalar', isNumber: true });
  });

  it('takes numbers and switches as such, references and nonsense as they were typed', () => {
    const number = { is: 'scalar', words: [], isNumber: true } as const;
    const boolean = { is: 'scalar', words: ['true', 'false'], isNumber: false } as const;
    expect(['1.25', '1e3', '${PRICE}', 'abc', ' ', ''].map((typed) => typedValue(typed, number))).toEqual([
      1.25,
      1000,
      '${PRICE}',
      'abc',
      ' ',
      undefined,
    ]);
    expect(['true', 'false', 'perhaps'].map((typed) => typedValue(typed, boolean))).toEqual([true, false, 'perhaps']);
    expect(typedValue('true', { is: 'scalar', words: [], isNumber: false })).toBe('true');
  });

  it('puts values where they belong, and takes away what is empty without them', () => {
    const row = { kind: 'chat', price: { input: 1 }, offers: [{ account: 'a' }, { account: 'b' }] };
    expect(withValue(row, ['price', 'output'], 2)).toEqual({ ...row, price: { input: 1, output: 2 } });
    expect(Object.keys(withValue(row, ['kind'], 'image') as object)).toEqual(['kind', 'price', 'offers']);
    expect(withValue(row, ['price', 'input'], undefined)).toEqual({ kind: 'chat', offers: row.offers });
    expect(withValue(row, ['offers', 0], undefined)).toEqual({ ...row, offers: [{ account: 'b' }] });
    expect(withValue(row, ['offers', 1, 'account'], undefined)).toEqual({ ...row, offers: [{ account: 'a' }, {}] });
    expect(withValue({}, ['offers', 0, 'account'], 'x')).toEqual({ offers: [{ account: 'x' }] });
    expect(withValue({}, ['price', 'input'], undefined)).toEqual({});
    expect(row.offers).toHaveLength(2);
    expect(valueAt(row, ['offers', 1, 'account'])).toBe('b');
    expect(valueAt(row, ['limits', 'x'])).toBeUndefined();
    expect(pathText(['offers', 0, 'quirks', 'x'])).toBe('offers[0].quirks.x');
    expect(stepsOf('offers[0].quirks.x')).toEqual(['offers', 0, 'quirks', 'x']);
  });
});
