import { expect, it } from 'vitest';
import type { Called } from './called.ts';
import { ourClient } from './samples-client.ts';

it.each(['admin', 'chat'])('an operation without a method of its own is called by its name (%s)', (tag) => {
  const operation = { id: 'newOperation', tag, webhook: false } as unknown as Called['operation'];
  const sample = ourClient({ operation, path: {}, query: {}, headers: {} } as unknown as Called) ?? '';
  const [, caller] = /await (\w+)\.call\('newOperation'\)/.exec(sample) ?? [];
  expect(sample).toContain(`const ${caller} = createClient({`);
  expect(sample).toContain(tag === 'admin' ? 'admin-' : 'sk-');
});
