/** The settings of `console.oidc`: faults with their place, nothing secret in what is shown, and what `gateway doctor` says of the provider. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readConfig } from '../src/config/config.ts';
import { safeReturn } from '../src/resources/console/oidc/sign-in.ts';
import { LYING_CLIENT, startLyingProvider, type LyingProvider } from './lying-provider.ts';
import { runCommand } from './run-command.ts';

const folder = mkdtempSync(join(tmpdir(), 'gateway-single-sign-on-'));
const file = join(folder, 'gateway.yaml');
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const RIGHT = {
  issuer: 'https://id.example.com/realms/main',
  client_id: 'gateway',
  client_secret: '${OIDC_CLIENT_SECRET}',
  roles: { claim: 'realm_access.roles', admin: ['umg-admin'], owner: ['umg-owner'] },
  owner_claim: 'team',
};
const env = { GATEWAY_CONFIG: file, OIDC_CLIENT_SECRET: 'hush-hush-hush' };
function write(oidc: object): void {
  writeFileSync(file, JSON.stringify({ extends: 'none', database: { url: `sqlite:${folder}/gateway.db` }, console: { oidc } })); // prettier-ignore
}

it('reads what it is told, and shows operators no secret', () => {
  write(RIGHT);
  const { console, shown } = readConfig(env);
  expect(console.oidc).toEqual({
    name: 'id.example.com',
    issuer: RIGHT.issuer,
    clientId: 'gateway',
    clientSecret: 'hush-hush-hush',
    scopes: ['openid', 'profile', 'email'],
    publicUrl: undefined,
    roles: { claim: 'realm_access.roles', admin: ['umg-admin'], owner: ['umg-owner'], member: [] },
    ownerClaim: 'team',
    playground: undefined,
  });
  expect(JSON.stringify(shown)).not.toContain('hush');
  write({ ...RIGHT, client_secret: 'written in the file' });
  expect(JSON.stringify(readConfig(env).shown)).not.toContain('written');
});

describe('check-config', () => {
  it.each<[object, RegExp]>([
    [{ issuer: 'http://id.example.com' }, /console\.oidc\.issuer: expected the https address/],
    [{ issuer: 'https://id.example.com/?a=b' }, /console\.oidc\.issuer: expected the https address/],
    [{ issuer: 'https://user:pass@id.example.com' }, /console\.oidc\.issuer: expected the https address/],
    [{ issuer: 'http://localhost.example.com' }, /console\.oidc\.issuer: expected the https address/],
    [{ issuer: undefined }, /console\.oidc\.issuer/],
    [{ client_id: undefined }, /console\.oidc\.client_id/],
    [{ client_secret: '${UNSET_SECRET}' }, /console\.oidc\.client_secret: .*UNSET_SECRET is not set/],
    [{ scopes: ['profile'] }, /console\.oidc\.scopes: expected openid among them/],
    [{ scopes: ['openid email'] }, /console\.oidc\.scopes\[0\]: expected a word without spaces/],
    [{ public_url: 'http://gateway.example.com' }, /console\.oidc\.public_url: expected an https address/],
    [{ public_url: 'https://gateway.example.com/some/where' }, /console\.oidc\.public_url: expected an https address/],
    [{ roles: { claim: 'groups' } }, /console\.oidc\.roles: expected at least one of admin, owner and member/],
    [{ roles: { claim: 'groups', owner: [] } }, /console\.oidc\.roles\.owner/],
    [{ roles: { claim: 'groups', admins: ['a'] } }, /console\.oidc\.roles.*admins/],
    [{ owner_claim: undefined }, /console\.oidc: owner_claim is missing/],
    [{ playground: { limits: { spend_per_day: -1 } } }, /console\.oidc\.playground\.limits\.spend_per_day/],
    [{ secret: 'x' }, /console\.oidc.*secret/],
  ])('%j', async (change, expected) => {
    write({ ...RIGHT, ...change });
    const { code, out, error } = await runCommand(['check-config'], { env });
    expect(`${out}${error}`).toMatch(expected);
    expect(code).not.toBe(0);
  });

  it('wants an address of the gateway that codes and sessions may travel to', () => {
    const at = (server: object, oidc: object): void =>
      writeFileSync(file, JSON.stringify({ extends: 'none', server, console: { oidc: { ...RIGHT, ...oidc } } }));
    at({ public_url: 'http://gateway.lan' }, {});
    expect(() => readConfig(env)).toThrow(/server\.public_url: expected an https address.*console\.oidc/);
    at({ public_url: 'http://gateway.lan' }, { public_url: 'https://gateway.example.com' });
    expect(readConfig(env).console.oidc?.publicUrl).toBe('https://gateway.example.com');
  });

  it.each(['http://127.0.0.1:9000', 'http://localhost:9000', 'http://[::1]:9000'])('takes %s', (issuer) => {
    write({ ...RIGHT, issuer, public_url: issuer });
    expect(readConfig(env).console.oidc?.issuer).toBe(issuer);
  });

  it('needs no claim for owners where only operators sign in', () => {
    write({ ...RIGHT, roles: { claim: 'groups', admin: ['a'] }, owner_claim: undefined });
    expect(readConfig(env).console.oidc?.ownerClaim).toBeUndefined();
  });
});

describe('doctor', () => {
  let provider: LyingProvider;
  beforeAll(async () => {
    provider = await startLyingProvider();
  });
  afterAll(() => provider.close());

  async function finding(issuer: string, ...options: readonly string[]): Promise<{ state: string; message: string }> {
    write({ ...RIGHT, issuer, client_id: LYING_CLIENT });
    const { out } = await runCommand(['doctor', '--json', ...options], { env });
    const { findings } = JSON.parse(out) as { findings: { name: string; state: string; message: string }[] };
    return findings.find(({ name }) => name === 'identity provider') ?? { state: 'missing', message: '' };
  }

  it('asks the provider, and says what is wrong with its answer', async () => {
    expect(await finding(provider.issuer)).toMatchObject({ state: 'ok', message: expect.stringMatching(/answers in \d+ ms/) }); // prettier-ignore
    provider.lies = { discovery: { issuer: 'https://evil.example' } };
    expect(await finding(provider.issuer)).toMatchObject({ state: 'fault', message: expect.stringContaining(provider.issuer) }); // prettier-ignore
    provider.lies = { discovery: { code_challenge_methods_supported: ['plain'] } };
    expect(await finding(provider.issuer)).toMatchObject({ state: 'warning' });
    provider.lies = {};
    expect(await finding('http://127.0.0.1:9')).toMatchObject({ state: 'fault', message: expect.stringContaining('does not answer') }); // prettier-ignore
    expect(await finding('http://127.0.0.1:9', '--offline')).toMatchObject({ state: 'ok' });
  });
});

it.each([
  [undefined, '/console'],
  [['/console/a'], '/console'],
  ['/console/requests?a=b#c', '/console/requests?a=b#c'],
  ['/console', '/console'],
  ['\\/console', '/console'],
  ['/console\\..\\admin', '/console'],
  ['https:/console', '/console'],
])('goes on at %j: %s', (asked, expected) => {
  expect(safeReturn(asked)).toBe(expected);
});
