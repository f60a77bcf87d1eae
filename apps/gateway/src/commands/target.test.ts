import { chmodSync, mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import { profilesFile, readProfiles, writeProfiles } from './profiles.ts';
import { clientTarget, operatorTarget } from './target.ts';

const folder = mkdtempSync(join(tmpdir(), 'gateway-profiles-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const env = { XDG_CONFIG_HOME: folder };
const PROFILES = {
  current: 'prod',
  profiles: {
    prod: { url: 'https://prod.example', key: 'sk-prod', admin_key: 'admin-prod' },
    client: { url: 'https://client.example', key: 'sk-client' },
    bare: { url: 'https://bare.example' },
  },
};
beforeEach(() => writeProfiles(env, PROFILES));

it('profiles are for their user alone, and refused when they are not', () => {
  const file = profilesFile(env);
  expect(statSync(file).mode & 0o777).toBe(0o600);
  expect(statSync(join(folder, 'model-gateway')).mode & 0o777).toBe(0o700);
  chmodSync(file, 0o644);
  expect(() => readProfiles(env)).toThrow(`other users can read it: chmod 600 ${file}`);
  // Writing again narrows it.
  writeProfiles(env, PROFILES);
  expect(readProfiles(env)).toEqual(PROFILES);
});

it('no file is no profile; a file that is none is said', () => {
  const empty = { XDG_CONFIG_HOME: join(folder, 'empty') };
  expect(readProfiles(empty)).toEqual({ profiles: {} });
  mkdirSync(join(folder, 'empty', 'model-gateway'), { recursive: true });
  writeFileSync(profilesFile(empty), 'key: x', { mode: 0o600 });
  expect(() => readProfiles(empty)).toThrow('is not valid JSON');
  expect(profilesFile({ HOME: '/home/ada' })).toBe('/home/ada/.config/model-gateway/profiles.json');
});

describe('clients', () => {
  it.each([
    { name: 'the profile in use', more: {}, options: {}, is: ['https://prod.example', 'sk-prod'] },
    {
      name: 'GATEWAY_PROFILE',
      more: { GATEWAY_PROFILE: 'client' },
      options: {},
      is: ['https://client.example', 'sk-client'],
    },
    {
      name: '--profile, whatever the environment says',
      more: { MODEL_GATEWAY_URL: 'https://env.example', MODEL_GATEWAY_API_KEY: 'sk-env', GATEWAY_PROFILE: 'prod' },
      options: { profile: 'client' },
      is: ['https://client.example', 'sk-client'],
    },
    {
      name: 'the environment',
      more: { MODEL_GATEWAY_URL: 'https://env.example/v1', MODEL_GATEWAY_API_KEY: 'sk-env' },
      options: {},
      is: ['https://env.example', 'sk-env'],
    },
    {
      name: '--url of a profile',
      more: {},
      options: { url: 'https://client.example/' },
      is: ['https://client.example', 'sk-client'],
    },
    {
      name: '--key',
      more: { MODEL_GATEWAY_API_KEY: 'sk-env' },
      options: { key: 'sk-line' },
      is: ['https://prod.example', 'sk-line'],
    },
    {
      name: 'a profile without a key',
      more: { MODEL_GATEWAY_API_KEY: 'sk-env' },
      options: { profile: 'bare' },
      is: ['https://bare.example', 'sk-env'],
    },
  ])('$name', ({ more, options, is }) => {
    const { url, key } = clientTarget({ ...env, ...more }, options);
    expect([url, key]).toEqual(is);
  });

  it("a profile's key never goes to another address", () => {
    expect(() => clientTarget(env, { url: 'https://elsewhere.example' })).toThrow(
      'No key for https://elsewhere.example',
    );
    expect(() => operatorTarget(env, { url: 'https://elsewhere.example' })).toThrow('GATEWAY_ADMIN_KEY is not set');
  });

  it('what is missing or wrong is said, and what to do', () => {
    expect(() => clientTarget(env, { profile: 'prd' })).toThrow(
      "There is no profile 'prd'; there are prod, client, bare.",
    );
    expect(() => clientTarget(env, { profile: 'bare' })).toThrow(
      'gateway profile add bare --url https://bare.example --key -',
    );
    expect(() => clientTarget(env, { url: 'ftp://x' })).toThrow("--url: 'ftp://x' is no address");
    expect(() => clientTarget(env, { profile: 'toString' })).toThrow("There is no profile 'toString'");
    expect(() => clientTarget({ XDG_CONFIG_HOME: '/nowhere', PORT: '8081' }, {})).toThrow(
      'No key for http://127.0.0.1:8081',
    );
  });
});

describe('operators', () => {
  it('the database unless a gateway is named, or a profile in use has an admin key', () => {
    const nowhere = { XDG_CONFIG_HOME: '/nowhere', GATEWAY_ADMIN_KEY: 'admin-env' };
    expect(operatorTarget(nowhere, {})).toBeUndefined();
    expect(operatorTarget(nowhere, { url: 'https://x.example' })).toMatchObject({ key: 'admin-env' });
    expect(operatorTarget(env, {})).toMatchObject({ url: 'https://prod.example', key: 'admin-prod' });
    expect(operatorTarget(env, { local: true })).toBeUndefined();
    expect(operatorTarget({ ...env, GATEWAY_PROFILE: 'client' }, {})).toBeUndefined();
    expect(operatorTarget(env, { url: 'https://prod.example' })).toMatchObject({ key: 'admin-prod' });
  });

  it('a profile without an admin key is said when it was meant', () => {
    expect(() => operatorTarget(env, { profile: 'client' })).toThrow('The profile client has no admin key');
    expect(() => operatorTarget(env, { local: true, profile: 'prod' })).toThrow('--local means the database');
  });
});
