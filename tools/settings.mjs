// Writes what is made of the configuration's schema: the JSON Schema for editors, the guide page of all settings. With --check it says what is stale.
import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { formatted } from './docs/format.ts';
import { configJsonSchema } from '../apps/gateway/src/config/json-schema.ts';
import { settingsPage } from '../apps/gateway/src/config/settings-page.ts';

const root = new URL('..', import.meta.url);
const made = [
  ['apps/gateway/config/gateway.schema.json', JSON.stringify(configJsonSchema(), undefined, 2)],
  ['docs/guides/settings.md', settingsPage()],
];
const stale = [];
for (const [file, text] of made) {
  const path = fileURLToPath(new URL(file, root));
  const whole = await formatted(path, text);
  if (!process.argv.includes('--check')) writeFileSync(path, whole);
  else if (read(path) !== whole) stale.push(file);
}
if (stale.length > 0) console.error(`stale: ${stale.join(', ')}; run node tools/settings.mjs`);
process.exitCode = stale.length === 0 ? 0 : 1;

function read(path) {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}
