/** One version: the document's. */
import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { openApiDocument } from '../src/http/document.ts';

const MAIN = fileURLToPath(new URL('../src/main.ts', import.meta.url));

it('gateway --version says the version of the document', () => {
  const said = execFileSync(process.execPath, [MAIN, '--version'], { encoding: 'utf8', env: {} });
  expect(openApiDocument()).toMatchObject({ info: { version: said.trim() } });
});
