import { describe, expect, it } from 'vitest';
import { storable, cleanVendorText } from './vendor-text.ts';

const account = {
  name: 'main',
  baseUrl: 'https://vod.vendor.example:8443/v1',
  credentials: { api_key: 'q9Zz-very-secret-value', sub_app_id: '1500000001' },
  headers: { 'x-relay': 'w4-word-of-the-relay' },
  settings: { project: 'acme-films-77', location: 'us-central1' },
};

describe('cleanVendorText', () => {
  it.each([
    ['the duration is out of range', 'the duration is out of range'],
    ['key q9Zz-very-secret-value is wrong', 'key [hidden] is wrong'],
    ['x-relay was w4-word-of-the-relay', 'x-relay was [hidden]'],
    ['Incorrect API key provided: sk-proj-abcdefghijklmnop', 'Incorrect API key provided: [hidden]'],
    ['Bearer abcdefghijklmnopqrstuv was refused', '[hidden] was refused'],
    ['AKIDz8krbsJ5yKBZQpn74WFkmLPx3 is unknown', '[hidden] is unknown'],
    ['organization org-a1b2c3d4e5 has no access', 'organization [hidden] has no access'],
    ['bad prompt. Request id: 021795225600000twin', 'bad prompt'],
    ['bad prompt (request_id 5ca1ab1e-0000-4000-8000-000000000001)', 'bad prompt'],
    ['see https://vod.vendor.example:8443/v1/things', 'see [vendor]'],
    ['host vod.vendor.example:8443 is down', 'host [vendor] is down'],
    ['could not fetch https://m.example/a.png', 'could not fetch https://m.example/a.png'],
    ['no quota in acme-films-77', 'no quota in [hidden]'],
    ['  spaced  ', 'spaced'],
    ['', ''],
  ])('“%s” becomes “%s”', (text, clean) => {
    expect(cleanVendorText(text, account)).toBe(clean);
  });

  it.each(['', 'a', 'ab', 'user:', 'Bearer '])('has no secret in base64 either, behind “%s”', (before) => {
    for (const way of ['base64', 'base64url'] as const)
      for (const after of ['', ':', '\n and more'])
        for (const secret of ['q9Zz-very-secret-value', 'w4-word-of-the-relay']) {
          const encoded = Buffer.from(before + secret + after).toString(way);
          const clean = cleanVendorText(`Basic ${encoded} is wrong`, account);
          expect(clean).toMatch(/^Basic \S*\[hidden\]\S* is wrong$/);
          // What is left spells no more than the ends of it.
          expect(clean.length - '[hidden]'.length).toBeLessThan('Basic  is wrong'.length + before.length * 2 + after.length * 2 + 6); // prettier-ignore
          expect(JSON.stringify(storable({ echo: [encoded] }, { credentials: { api_key: secret } }))).toContain(
            '[hidden]',
          );
        }
  });

  it('is bounded, whatever comes', () => {
    expect(cleanVendorText('x'.repeat(1_000_000), account)).toHaveLength(1001);
  });
});

describe('storable', () => {
  const long = 'A'.repeat(600);
  it('takes media out and leaves the rest', () => {
    expect(
      storable(
        {
          videos: [{ bytesBase64Encoded: long, mimeType: 'video/mp4' }],
          image: `data:image/png;base64,${long}`,
          url: `https://cdn.example/${'a'.repeat(700)}?sig=${'b'.repeat(300)}`,
          text: 'kept',
          zero: 0,
          none: null,
          no: false,
        },
        account,
      ),
    ).toEqual({
      videos: [{ bytesBase64Encoded: '[media removed: 600 characters]', mimeType: 'video/mp4' }],
      image: `[media removed: ${long.length + 22} characters]`,
      url: `https://cdn.example/${'a'.repeat(700)}?sig=${'b'.repeat(300)}`,
      text: 'kept',
      zero: 0,
      none: null,
      no: false,
    });
  });

  it('hides secrets, not identifiers that stand in task ids', () => {
    expect(storable({ echo: 'q9Zz-very-secret-value', TaskId: '1500000001-AigcVideoTask-x' }, account)).toEqual({
      echo: '[hidden]',
      TaskId: '1500000001-AigcVideoTask-x',
    });
  });

  it('cuts what is too long, too many or too deep', () => {
    const words = 'word '.repeat(10_000);
    expect((storable(words, account) as string).length).toBe(16_385);
    expect(
      storable(
        Array.from({ length: 1000 }, () => 1),
        account,
      ),
    ).toHaveLength(500);
    let deep: object = {};
    for (let level = 0; level < 10_000; level++) deep = { deep };
    expect(JSON.stringify(storable(deep as never, account)).length).toBeLessThan(1000);
  });

  it('a key named __proto__ is a key', () => {
    const kept = storable(JSON.parse('{"__proto__":{"polluted":1}}') as never, account) as object;
    expect(Object.hasOwn(kept, '__proto__')).toBe(true);
    expect(Object.getPrototypeOf(kept)).toBe(Object.prototype);
  });
});
