import { describe, expect, it } from 'vitest';
import { kling } from './adapter.ts';
import { signKlingToken } from './sign.ts';

// Test vector of docs/wire/kling.md#address-and-token.
const VECTOR =
  'eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9.eyJpc3MiOiJhay10ZXN0IiwiZXhwIjoxNzkwMDAxODAwLCJuYmYiOjE3ODk5OTk5OTV9.0NAdQ8PB_L5-9Xx3H1DQB_7RWezVNnXV6wN7m0qhe0s';

describe('the access token', () => {
  it('is the vector’s', () => {
    expect(signKlingToken('ak-test', 'sk-test', 1790000000)).toBe(VECTOR);
  });

  const request = { method: 'GET', url: 'https://api.example/v1', headers: {}, bodyBytes: new Uint8Array() };
  const account = (credentials: Record<string, string>) => ({
    id: 1,
    name: 'kling',
    vendor: 'kling',
    baseUrl: 'https://api.example',
    settings: {},
    credentials,
  });

  it('is made for the moment of the request', () => {
    const signed = kling.authorize(request, account({ access_key: 'ak-test', secret_key: 'sk-test' }), 1790000000999);
    expect(signed).toEqual({ authorization: `Bearer ${VECTOR}` });
  });

  it('is the key itself for accounts that have one', () => {
    expect(kling.authorize(request, account({ api_key: 'key-1' }), 0)).toEqual({ authorization: 'Bearer key-1' });
  });
});
