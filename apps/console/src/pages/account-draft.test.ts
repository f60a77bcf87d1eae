import { describe, expect, it } from 'vitest';
import {
  accountValue,
  choiceOf,
  draftOf,
  fieldName,
  freeName,
  missingIn,
  offeringRow,
  priceOf,
  withdrawnRow,
  type AccountDraft,
  type AccountModel,
  type Missing,
  type Vendor,
} from './account-draft.ts';

const openai: Vendor = {
  object: 'vendor',
  id: 'openai',
  title: 'OpenAI',
  keywords: [],
  vendor: 'openai',
  account: {
    id: 1,
    name: 'openai',
    vendor: 'openai',
    base_url: 'https://api.openai.com/v1',
    credentials: { api_key: '${OPENAI_API_KEY}' },
  },
  base_url: 'https://api.openai.com/v1',
  wire: null,
  wires: [],
  credentials: [{ name: 'api_key', about: 'The key.', secret: true, variable: 'OPENAI_API_KEY', is_set: false }],
  sufficient: [['api_key'], []],
  settings: [{ name: 'organization', about: '', values: [], default: null }],
  lists_models: true,
  priced_by: { chat: ['input', 'output'] },
};
const server: Vendor = {
  ...openai,
  id: 'openai-compatible',
  vendor: 'openai-compatible',
  account: null,
  base_url: null,
  credentials: [{ name: 'api_key', about: '', secret: true, variable: null, is_set: false }],
};
const ollama: Vendor = {
  ...server,
  id: 'ollama',
  vendor: 'ollama',
  account: { name: 'ollama', vendor: 'ollama', base_url: '${OLLAMA_BASE_URL}' },
  base_url: '${OLLAMA_BASE_URL}',
};
const beneath = { vendor: 'openai', base_url: 'https://api.openai.com/v1', credentials: { api_key: '***' } };
const model: AccountModel = {
  id: 'llama3.2',
  code: 'llama3.2',
  kind: 'chat',
  offered: false,
  price: null,
  limits: {},
  dialects: ['openai-chat'],
};
const units = ['input', 'output'];

describe('what is missing', () => {
  it.each<readonly [string, Vendor, AccountDraft, readonly Missing[]]>([
    [
      'a key of a built-in account',
      openai,
      draftOf(openai, 'openai'),
      [{ field: 'credentials.api_key', credential: 'api_key' }],
    ],
    ['nothing, once it is typed', openai, { ...draftOf(openai, 'openai'), credentials: { api_key: 'k' } }, []],
    [
      'nothing, where the variable is set',
      { ...openai, credentials: [{ ...openai.credentials[0]!, is_set: true }] },
      draftOf(openai, 'openai'),
      [],
    ],
    ['the address of a server; it needs no key', server, draftOf(server, 'ollama'), [{ field: 'base_url' }]],
    [
      'the address of a built-in server; it needs no key either',
      ollama,
      draftOf(ollama, 'ollama'),
      [{ field: 'base_url' }],
    ],
    ['the name', server, { ...draftOf(server, ' '), baseUrl: 'http://a' }, [{ field: 'name' }]],
  ])('%s', (_what, vendor, draft, missing) => {
    expect(missingIn(vendor, draft)).toEqual(missing);
  });

  it('no secret that is stored', () => {
    const account = { kept: { credentials: { api_key: '***' } }, beneath, version: 3 };
    expect(missingIn(openai, draftOf(openai, 'openai', account), account)).toEqual([]);
  });
});

describe('what is kept', () => {
  it('over a built-in account the key alone', () => {
    const account = { kept: null, beneath, version: 0 };
    const draft = { ...draftOf(openai, 'openai', account), credentials: { api_key: ' k1 ' } };
    expect(accountValue(openai, draft, account)).toEqual({ credentials: { api_key: 'k1' } });
  });

  it('of a second account the address of the first, not its id, and not its key', () => {
    const draft = {
      ...draftOf(openai, 'openai-2'),
      credentials: { api_key: 'k2' },
      settings: { organization: 'o', project: '' },
    };
    expect(accountValue(openai, draft)).toEqual({
      vendor: 'openai',
      base_url: 'https://api.openai.com/v1',
      credentials: { api_key: 'k2' },
      settings: { organization: 'o' },
    });
  });

  it('a stored secret stays unless another is typed, and so does what the form does not show', () => {
    const account = { kept: { credentials: { api_key: '***' }, max_concurrency: 3 }, beneath, version: 3 };
    const draft = draftOf(openai, 'openai', account);
    expect(draft.credentials).toEqual({ api_key: '' });
    expect(accountValue(openai, draft, account)).toEqual(account.kept);
    const replaced = accountValue(openai, { ...draft, credentials: { api_key: 'new' } }, account);
    expect(replaced).toEqual({ credentials: { api_key: 'new' }, max_concurrency: 3 });
  });

  it('nothing of a field that was emptied, and all else of the account', () => {
    const settings = { organization: 'o', project: 'p' };
    const kept = {
      ...{ vendor: 'openai', base_url: 'http://proxy', wire: 'chat', settings },
      ...{ credentials: { api_key: '***', token: '${TOKEN}' }, max_concurrency: 3 },
    };
    const account = { kept, beneath: null, version: 3 };
    const draft = draftOf(openai, 'openai-2', account);
    expect(accountValue(openai, draft, account)).toEqual(kept);
    const emptied = {
      ...{ ...draft, baseUrl: ' ', wire: '' },
      ...{ settings: { organization: '', project: '' }, credentials: { api_key: '', token: '' } },
    };
    expect(accountValue(openai, emptied, account)).toEqual({
      vendor: 'openai',
      // The vendor's own, as the empty field shows it.
      base_url: 'https://api.openai.com/v1',
      credentials: { api_key: '***' },
      max_concurrency: 3,
    });
  });

  it('nothing of an emptied field over a row of the file either, which shows again', () => {
    const file = { ...beneath, wire: 'responses', settings: { project: 'p' } };
    const kept = { base_url: 'http://proxy', wire: 'chat', settings: { organization: 'o' } };
    const account = { kept, beneath: file, version: 3 };
    const draft = draftOf(openai, 'openai', account);
    const emptied = { ...draft, baseUrl: '', wire: '', settings: { organization: '' } };
    expect(accountValue(openai, emptied, account)).toEqual({});
    const untouched = { ...account, kept: null };
    expect(accountValue(openai, draftOf(openai, 'openai', untouched), untouched)).toEqual({});
  });

  it('of a server its address, without empty fields', () => {
    const draft = { ...draftOf(server, 'ollama'), baseUrl: ' http://127.0.0.1:11434/v1 ' };
    expect(accountValue(server, draft)).toEqual({ vendor: 'openai-compatible', base_url: 'http://127.0.0.1:11434/v1' });
  });
});

describe('models', () => {
  const choice = { ...choiceOf(model), isOffered: true };
  it.each([
    ['nothing typed', {}, false, undefined],
    ['half of it', { input: '1' }, false, undefined],
    ['both', { input: '0.5', output: '2' }, false, { input: 0.5, output: 2 }],
    ['below zero', { input: '-1', output: '2' }, false, undefined],
    ['free', {}, true, 'free'],
  ])('the price of %s', (_what, price, isFree, expected) => {
    expect(priceOf(model, { ...choice, price, isFree }, units)).toEqual(expected);
  });

  it('a new one has its kind, its offer, its price and its fallback', () => {
    const offered = { account: 'ollama', model, choice: { ...choice, isFree: true }, units, fallback: 'gpt-5-mini' };
    expect(offeringRow(offered, null, null)).toEqual({
      kind: 'chat',
      offers: [{ account: 'ollama', model: 'llama3.2', dialects: ['openai-chat'] }],
      price: 'free',
      fallbacks: { on_error: ['gpt-5-mini'] },
    });
  });

  it('one that was saved before is written again, with its price as it is now', () => {
    const offered = { account: 'ollama', model, choice: { ...choice, isFree: true }, units, fallback: '' };
    const row = offeringRow(offered, null, null);
    const paid = { ...offered, choice: { ...choice, price: { input: '1', output: '2' } } };
    expect(offeringRow(paid, row, row)).toEqual({ ...row, price: { input: 1, output: 2 } });
  });

  it('a fallback comes after those that the model has, in the file too, and takes no other away', () => {
    const offers = [{ account: 'openai', model: 'm' }];
    const present = { offers, fallbacks: { on_error: ['a'], on_context_too_long: ['long'] } };
    const offered = { account: 'b', model, choice, units, fallback: 'z' };
    const row = offeringRow(offered, present, null);
    expect(row['fallbacks']).toEqual({ on_error: ['a', 'z'], on_context_too_long: ['long'] });
    expect(offeringRow(offered, row, row)['fallbacks']).toEqual({ ...present.fallbacks, on_error: ['a', 'z'] });
  });

  it('one that others offer keeps their offers; without the last offer it is taken away', () => {
    const present = { kind: 'chat', offers: [{ account: 'openai', model: 'm' }], price: { input: 1 } };
    const offered = { account: 'b', model: { ...model, id: 'm' }, choice, units, fallback: '' };
    const row = offeringRow(offered, present, null);
    expect(row).toEqual({
      offers: [
        { account: 'openai', model: 'm' },
        { account: 'b', model: 'm', dialects: ['openai-chat'] },
      ],
    });
    expect(offeringRow(offered, row, null)).toEqual(row);
    expect(withdrawnRow('b', row, null)).toEqual({ offers: [{ account: 'openai', model: 'm' }] });
    expect(withdrawnRow('openai', present, null)).toBeUndefined();
  });
});

it('names are free and fit to be read', () => {
  expect(freeName(openai, new Set())).toBe('openai');
  expect(freeName(openai, new Set(['openai', 'openai-2']))).toBe('openai-3');
  expect(['api_key', 'sub_app_id', 'organization'].map(fieldName)).toEqual(['API key', 'Sub app ID', 'Organization']);
});
