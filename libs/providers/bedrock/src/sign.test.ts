import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { Account } from '@model-gateway/provider-kit';
import { bedrock } from './adapter.ts';
import { signatureOf } from './sign.ts';

describe('signatures', () => {
  const AT = Date.parse('2015-08-30T12:36:00Z');
  /** Of AWS's published suite for version 4. */
  const SUITE = { access_key_id: 'AKIDEXAMPLE', secret_access_key: 'wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY' };
  const account = (given: Partial<Account> = {}): Account => ({
    id: 1,
    name: 'b',
    vendor: 'bedrock',
    baseUrl: '',
    credentials: {},
    settings: {},
    ...given,
  });
  const sign = async (
    given: Partial<Account>,
    now = AT,
    url = 'https://bedrock-runtime.us-east-1.amazonaws.com/model/a%3A0/converse',
  ) =>
    bedrock.authorize(
      { method: 'POST', url, headers: { 'content-type': 'application/json' }, bodyBytes: Buffer.from('{}') },
      account(given),
      now,
    );

  it('are those of version 4, with the session’s token', async () => {
    const signed = await sign({ credentials: { ...SUITE, session_token: 'session' } });
    expect(signed).toMatchObject({
      'x-amz-date': '20150830T123600Z',
      'x-amz-security-token': 'session',
      authorization: expect.stringMatching(
        /^AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE\/20150830\/us-east-1\/bedrock\/aws4_request, SignedHeaders=content-type;host;x-amz-date;x-amz-security-token, Signature=[0-9a-f]{64}$/,
      ) as string,
    });
    expect(Object.keys(signed)).not.toContain('host');
  });

  it.each([
    [
      'get-vanilla',
      'GET',
      '',
      {},
      '',
      'host;x-amz-date',
      '5fa00fa31553b73ebf1942676e86291e8372ff2a2260956d9b8aae1d763fbf31',
    ],
    [
      'post-vanilla',
      'POST',
      '',
      {},
      '',
      'host;x-amz-date',
      '5da7c1a2acd57cee7505fc6676e4e544621c30862966e37dddb68e92efbe5d6b',
    ],
    [
      'get-vanilla-query-order-key-case',
      'GET',
      '?Param2=value2&Param1=value1',
      {},
      '',
      'host;x-amz-date',
      'b97d918cfa904a5beff61c982a1b6f458b799221646efd99d3219ec94cdf2500',
    ],
    [
      'post-x-www-form-urlencoded',
      'POST',
      '',
      { 'content-type': 'application/x-www-form-urlencoded' },
      'Param1=value1',
      'content-type;host;x-amz-date',
      'ff11897932ad3f4e8b18135d722051e5ac45fc38421b1da7b9d196a0fe09473a',
    ],
  ])('are those of AWS’s published suite: %s', async (_, method, query, headers, body, names, signature) => {
    const url = `https://example.amazonaws.com/${query}`;
    const keys = { accessKeyId: SUITE.access_key_id, secretAccessKey: SUITE.secret_access_key };
    const asked = { method, url, headers, bodyBytes: Buffer.from(body) };
    const made = await signatureOf(asked, { keys, region: 'us-east-1', service: 'service', now: AT });
    expect(made['authorization']).toBe(
      `AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE/20150830/us-east-1/service/aws4_request, SignedHeaders=${names}, Signature=${signature}`,
    );
  });

  it('differ by body, path and time; a key goes before them', async () => {
    const all = await Promise.all([
      sign({ credentials: SUITE }),
      sign({ credentials: SUITE }, AT + 1000),
      sign({ credentials: SUITE }, AT, 'https://bedrock-runtime.us-east-1.amazonaws.com/model/b/converse'),
    ]);
    expect(new Set(all.map(({ authorization }) => authorization)).size).toBe(3);
    expect(await sign({ credentials: { ...SUITE, api_key: 'k' } })).toEqual({ authorization: 'Bearer k' });
  });

  describe('with keys that are looked for', () => {
    const folder = mkdtempSync(join(tmpdir(), 'bedrock-'));
    const variables: Record<string, string | undefined> = {};
    let sts: Server;
    let url = '';
    let assumed: URLSearchParams[] = [];
    const set = (name: string, value: string): void => {
      variables[name] ??= process.env[name];
      process.env[name] = value;
    };
    beforeAll(async () => {
      sts = createServer((incoming, response) => {
        let body = '';
        incoming.on('data', (chunk: Buffer) => (body += chunk.toString()));
        incoming.on('end', () => {
          const asked = new URLSearchParams(body);
          assumed.push(asked);
          const action = asked.get('Action') ?? '';
          const until = new Date(Date.now() + 3_600_000).toISOString();
          response.writeHead(200, { 'content-type': 'text/xml' });
          response.end(
            `<${action}Response xmlns="https://sts.amazonaws.com/doc/2011-06-15/"><${action}Result><Credentials><AccessKeyId>ASIA${assumed.length}</AccessKeyId><SecretAccessKey>s</SecretAccessKey><SessionToken>t</SessionToken><Expiration>${until}</Expiration></Credentials></${action}Result></${action}Response>`,
          );
        });
      });
      await new Promise<void>((resolve) => sts.listen(0, '127.0.0.1', resolve));
      url = `http://127.0.0.1:${(sts.address() as AddressInfo).port}`;
    });
    afterEach(() => {
      for (const [name, value] of Object.entries(variables)) {
        if (value === undefined) Reflect.deleteProperty(process.env, name);
        else process.env[name] = value;
        Reflect.deleteProperty(variables, name);
      }
      assumed = [];
    });
    afterAll(async () => {
      rmSync(folder, { recursive: true });
      sts.closeAllConnections();
      await new Promise((resolve) => sts.close(resolve));
    });

    it('by variables', async () => {
      set('AWS_ACCESS_KEY_ID', 'AKIAENV');
      set('AWS_SECRET_ACCESS_KEY', 'secret');
      const signed = await sign({ settings: { credentials_from: 'environment', region: 'eu-west-3' } }, Date.now());
      expect(signed['authorization']).toMatch(/Credential=AKIAENV\/\d+\/eu-west-3\/bedrock\//);
    });

    it('by a profile', async () => {
      const file = join(folder, 'credentials');
      writeFileSync(file, '[team]\naws_access_key_id = AKIATEAM\naws_secret_access_key = secret\n');
      set('AWS_SHARED_CREDENTIALS_FILE', file);
      set('AWS_CONFIG_FILE', join(folder, 'none'));
      expect((await sign({ settings: { profile: 'team' } }, Date.now()))['authorization']).toContain(
        'Credential=AKIATEAM/',
      );
      await expect(sign({ settings: { profile: 'nobody' } }, Date.now())).rejects.toMatchObject({
        code: 'upstream_rejected_key',
      });
    });

    it('by a web identity, whose role is assumed once for all who wait', async () => {
      const file = join(folder, 'token');
      writeFileSync(file, 'oidc');
      set('AWS_ENDPOINT_URL_STS', url);
      const credentials = { role_arn: 'arn:aws:iam::1:role/gateway', web_identity_token_file: file };
      const signed = await Promise.all([sign({ credentials }, Date.now()), sign({ credentials }, Date.now())]);
      await sign({ credentials }, Date.now());
      expect(signed.map((each) => each['x-amz-security-token'])).toEqual(['t', 't']);
      expect(assumed.map((each) => [each.get('Action'), each.get('WebIdentityToken')])).toEqual([
        ['AssumeRoleWithWebIdentity', 'oidc'],
      ]);
    });
  });
});
