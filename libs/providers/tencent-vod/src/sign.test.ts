import { createHmac } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { canonicalRequest, sha256, signingKey, signTc3 } from './sign.ts';

// Test vector of docs/wire/tencent-vod.md#signature; cross-checked there against the vendor's Node SDK.
const vector = {
  secretId: 'AKIDtest0000000000000000000000000000',
  secretKey: 'testSecretKey0123456789',
  host: 'vod.tencentcloudapi.com',
  contentType: 'application/json',
  timestamp: 1790000000,
  body: Buffer.from('{"SubAppId":1500000001,"TaskId":"1500000001-AigcVideoTask-demot"}'),
};

describe('TC3-HMAC-SHA256', () => {
  it('hashes body and canonical request as the vector does', () => {
    expect(sha256(vector.body)).toBe('579cf4c75d53a879a317cd7f0ad46cc99fc34a413f93f3bc37ad561144f12452');
    expect(sha256(canonicalRequest(vector))).toBe('823da290a2cfcd2502c1a022b051759b1b9f3def1045362f4f81f23aec6b474b');
  });

  it('derives the keys of the vector', () => {
    const day = createHmac('sha256', `TC3${vector.secretKey}`).update('2026-09-21').digest();
    expect(day.toString('hex')).toBe('a416c7dcfb459c25a55336c1f76840be332e4d47cfe83a99c7cbe6911a40f424');
    const service = createHmac('sha256', day).update('vod').digest('hex');
    expect(service).toBe('e7b13e49fdf1403f8189e45ad3a6ac383bd90d02a4209e761370b026a881bbd8');
    const signing = signingKey(vector.secretKey, '2026-09-21').toString('hex');
    expect(signing).toBe('421330042d1e0fff3867142882fc2813781bc526bd41dc9cd273944a14f2bd1b');
  });

  it('signs the vector', () => {
    expect(signTc3(vector)).toBe(
      'TC3-HMAC-SHA256 Credential=AKIDtest0000000000000000000000000000/2026-09-21/vod/tc3_request, SignedHeaders=content-type;host, ' +
        'Signature=abe91f73ac7443343f81ee6805e858d9c7163fbb05af2fb0dbc19f7fe9104d05',
    );
  });

  it('takes the day in UTC', () => {
    const lastSecond = Date.UTC(2026, 11, 31, 23, 59, 59) / 1000;
    expect(signTc3({ ...vector, timestamp: lastSecond })).toContain('/2026-12-31/vod/');
    expect(signTc3({ ...vector, timestamp: lastSecond + 1 })).toContain('/2027-01-01/vod/');
  });
});
