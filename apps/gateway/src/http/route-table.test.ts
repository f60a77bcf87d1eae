import { describe, expect, it } from 'vitest';
import { matchOperation, operations } from './route-table.ts';

describe('the operation of an address', () => {
  it.each(operations.map(({ id, method, path, parameters, forwards }) => ({ id, method, path, parameters, forwards })))(
    '$method $path is $id',
    ({ id, method, path, parameters, forwards }) => {
      const values = Object.fromEntries(parameters.map((name) => [name, `a ${name}/%`]));
      const address = path.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(values[name] ?? ''));
      const rest = forwards === true ? parameters.at(-1) : undefined;
      const asWritten = rest === undefined ? {} : { [rest]: encodeURIComponent(values[rest] ?? '') };
      const match = matchOperation(method, address);
      expect(match.operation?.id).toBe(id);
      expect(match.refusal).toBeUndefined();
      expect(match.parameters).toEqual({ ...values, ...asWritten });
    },
  );

  it.each([
    ['/pass/a%20b/files/c', 'a b', 'files/c'],
    ['/pass/a/files/%2e%2e/./c//d%2Fe/', 'a', 'files/%2e%2e/./c//d%2Fe/'],
    ['/pass/a/', 'a', ''],
  ])('%s is forwarded with its rest as it was written', (address, account, path) => {
    expect(matchOperation('GET', address)).toMatchObject({
      operation: { id: 'getPassThrough' },
      parameters: { account, path },
    });
  });

  it('is none where nothing follows what is forwarded', () => {
    expect(matchOperation('GET', '/pass/a').operation).toBeUndefined();
    expect(matchOperation('HEAD', '/pass/a/b').operation).toBeUndefined();
  });

  it.each([
    { path: '/v1beta/models/a:b:generateContent', id: 'generateContent', model: 'a:b' },
    { path: '/v1/models/a:generateContent', id: 'generateContentV1', model: 'a' },
  ])('$path names the model $model', ({ path, id, model }) => {
    const { operation, parameters } = matchOperation('POST', path);
    expect([operation?.id, parameters]).toEqual([id, { model }]);
  });

  it.each([
    ['/v1beta/models/openai/gpt-5:generateContent', '/v1beta/models/openai%2Fgpt-5:generateContent', 'openai/gpt-5'],
    ['/v1/models/a/b%2Fc/d:generateContent', '/v1/models/a%2Fb%2Fc%2Fd:generateContent', 'a/b/c/d'],
  ])('%s has a name with slashes', (path, encoded, model) => {
    const match = matchOperation('POST', path);
    expect(match).toMatchObject({ path: encoded, parameters: { model }, operation: { kind: 'chat' } });
    expect(matchOperation('POST', encoded)).toEqual({ ...match, path: undefined });
  });

  it.each([
    '/v1beta/models/a//b:generateContent',
    '/v1beta/models/../files/b:generateContent',
    '/v1beta/models/a/./b:generateContent',
    '/v1beta/models/a/b:generateContent/c',
    '/v1beta/models/a/b',
    '/admin/a/b:generateContent',
  ])('%s is no name', (path) => {
    expect(matchOperation('POST', path).operation).toBeUndefined();
  });
});

describe('an address that is none', () => {
  it.each([
    { path: '/', access: 'public', errors: 'openai-chat' },
    { path: '/nothing', access: 'public', errors: 'openai-chat' },
    { path: '/v1', access: 'key', errors: 'openai-chat' },
    { path: '/v1/nothing', access: 'key', errors: 'openai-chat' },
    { path: '/v1//models', access: 'key', errors: 'openai-chat' },
    { path: '/v1/messages/nothing', access: 'key', errors: 'anthropic-messages' },
    { path: '/v1/responses/resp_1/parts', access: 'key', errors: 'openai-responses' },
    { path: '/v1beta', access: 'key', errors: 'gemini-generate' },
    { path: '/v1beta/nothing', access: 'key', errors: 'gemini-generate' },
    { path: '/v1/models/a/b', access: 'key', errors: 'openai-chat' },
    { path: '/v1/models/:generateContent/b', access: 'key', errors: 'gemini-generate' },
    { path: '/v1/video/nothing', access: 'key', errors: 'task' },
    { path: '/v1/videos/a/b', access: 'key', errors: 'task' },
    { path: '/admin', access: 'admin', errors: 'openai-chat' },
    { path: '/admin/nothing', access: 'admin', errors: 'openai-chat' },
    { path: '/Admin/keys', access: 'public', errors: 'openai-chat' },
    { path: '/files/a/b', access: 'public', errors: 'openai-chat' },
    { path: '/__proto__/constructor', access: 'public', errors: 'openai-chat' },
  ])('$path is told to $access in the form $errors', ({ path, access, errors }) => {
    const { operation, refusal, place } = matchOperation('GET', path);
    expect(operation).toBeUndefined();
    expect(refusal?.code).toBe('not_found');
    expect(place).toMatchObject({ access, errors, metric: 'unmatched' });
  });

  it.each([
    { method: 'GET', path: '/v1/embeddings', allow: ['POST'], errors: 'openai-chat' },
    { method: 'PUT', path: '/v1/messages', allow: ['POST'], errors: 'anthropic-messages' },
    { method: 'PATCH', path: '/v1/video/generations/t', allow: ['GET', 'DELETE'], errors: 'task' },
    { method: 'POST', path: '/v1/models/gemini-3.1-pro', allow: ['GET'], errors: 'openai-chat' },
    { method: 'HEAD', path: '/v1/models', allow: ['GET'], errors: 'openai-chat' },
  ])('$method $path says what it takes', ({ method, path, allow, errors }) => {
    const { operation, refusal, place } = matchOperation(method, path);
    expect(operation).toBeUndefined();
    expect(refusal).toMatchObject({ code: 'method_not_allowed', details: { allow } });
    expect(place.errors).toBe(errors);
  });

  it.each(['/v1/videos/%ff/content', '/v1/videos/%E0%A4%A', '/admin/keys/%', '/v1beta/models/%c3:generateContent'])(
    '%s names what is not UTF-8',
    (path) => {
      const method = path.includes('generate') ? 'POST' : 'GET';
      const { refusal } = matchOperation(method, path);
      expect(refusal?.code).toBe('invalid_request');
      expect(refusal?.details.param).toMatch(/^(video_id|key_id|model)$/);
    },
  );
});

describe('the beginning of a path', () => {
  it.each([
    { path: '/chat/completions', meant: '/v1/chat/completions' },
    { path: '/messages', meant: '/v1/messages' },
    { path: '/v1/v1/messages', meant: '/v1/messages' },
    { path: '/openai/v1/responses', meant: '/v1/responses' },
    { path: '/models/gemini-3-pro:generateContent', meant: '/v1/models/gemini-3-pro:generateContent' },
    { path: '/v1beta/v1beta/models/a:generateContent', meant: '/v1beta/models/a:generateContent' },
  ])('is named when it is wrong: $path', ({ path, meant }) => {
    const { refusal, operation } = matchOperation('POST', path);
    expect(operation).toBeUndefined();
    expect(refusal?.code).toBe('not_found');
    expect(refusal?.message).toContain(`(did you mean POST ${meant}?)`);
    expect(matchOperation('POST', meant).operation).toBeDefined();
  });

  it.each([
    ['POST', '/chat/nonsense'],
    ['DELETE', '/chat/completions'],
    ['POST', '/v1/fine_tuning/jobs'],
    ['GET', '/favicon.ico'],
  ])('is not guessed for %s %s', (method, path) => {
    const { refusal } = matchOperation(method, path);
    expect(refusal?.message).toMatch(/^there is no /);
    expect(refusal?.message).not.toContain('did you mean');
  });
});
