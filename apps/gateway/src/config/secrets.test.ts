import { expect, it } from 'vitest';
import { withoutSecrets } from './secrets.ts';

it('whatever is below a member for secrets is hidden: texts, lists and objects', () => {
  const shown = withoutSecrets(
    { name: 'main', headers: { a: 'x1', b: ['x2', { c: 'x3' }] }, tags: ['open'] },
    new Set(['from-the-environment']),
  );
  expect(shown).toEqual({ name: 'main', headers: { a: '***', b: ['***', { c: '***' }] }, tags: ['open'] });
});

it('what came from the environment is hidden wherever it stands', () => {
  const shown = withoutSecrets({ url: 'x://from-the-environment/' }, new Set(['from-the-environment']));
  expect(shown).toEqual({ url: 'x://***/' });
});
