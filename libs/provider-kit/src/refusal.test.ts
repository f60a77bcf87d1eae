import { describe, expect, it } from 'vitest';
import { GatewayError } from '@model-gateway/contracts';
import { retryAfterOf, transportError } from './refusal.ts';

describe('transportError', () => {
  const error = (code: string): Error => Object.assign(new Error('x 10.0.0.7:443'), { code });
  it.each([
    'ECONNREFUSED',
    'ENOTFOUND',
    'EAI_AGAIN',
    'EHOSTUNREACH',
    'ENETUNREACH',
    'UND_ERR_CONNECT_TIMEOUT',
    'CERT_HAS_EXPIRED',
    'DEPTH_ZERO_SELF_SIGNED_CERT',
    'ERR_TLS_CERT_ALTNAME_INVALID',
    'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
  ])('%s: nothing was sent', (code) => {
    expect(transportError(error(code), 'x')).toMatchObject({ code: 'upstream_unavailable', details: { taken: 'no' } });
  });

  it.each(['ECONNRESET', 'EPIPE', 'UND_ERR_SOCKET', 'UND_ERR_ABORTED', 'HPE_INVALID_CONSTANT', ''])(
    '%s: perhaps',
    (code) => {
      const made = transportError(error(code), 'x');
      expect(made.details.taken).toBe('unknown');
      expect(made.message).not.toContain('10.0.0.7');
    },
  );

  it('looks into causes and bundles', () => {
    expect(transportError(new Error('fetch failed', { cause: error('ECONNREFUSED') }), 'x').details.taken).toBe('no');
    expect(transportError(new AggregateError([error('ENETUNREACH')]), 'x').details.taken).toBe('no');
    expect(transportError('nonsense', 'x').details.taken).toBe('unknown');
  });

  it('leaves our own errors alone', () => {
    const own = new GatewayError('conflict', 'x');
    expect(transportError(own, 'y')).toBe(own);
  });
});

describe('retryAfterOf', () => {
  it.each<[Record<string, string>, number | undefined]>([
    [{}, undefined],
    [{ 'retry-after': '7' }, 7],
    [{ 'retry-after': '0' }, 0],
    [{ 'retry-after': '' }, undefined],
    [{ 'retry-after': 'soon' }, undefined],
    [{ 'retry-after': '-3' }, undefined],
    [{ 'retry-after-ms': '250', 'retry-after': '7' }, 0.25],
    [{ 'retry-after': 'Sat, 21 Nov 2026 09:00:30 GMT', date: 'Sat, 21 Nov 2026 09:00:00 GMT' }, 30],
    [{ 'retry-after': 'Sat, 21 Nov 2026 08:00:00 GMT', date: 'Sat, 21 Nov 2026 09:00:00 GMT' }, 0],
    [{ 'retry-after': 'Sat, 21 Nov 2026 09:00:30 GMT' }, undefined],
  ])('%j: %j', (headers, seconds) => {
    expect(retryAfterOf(headers)).toBe(seconds);
  });
});
