// npm run spec:bundle: writes dist/spec/openapi.yaml and .json, self-contained, with code samples for every operation, as the package @model-gateway/spec.
import '../needs-node-24.mjs';
import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { stringify } from 'yaml';
import { withoutGatewayFacts } from '../contracts/operations.mjs';

const root = fileURLToPath(new URL('../..', import.meta.url));
const target = process.argv[2] ?? join(root, 'dist/spec');
const { withSamples } = await import('./portal/x-code-samples.ts');

const document = withSamples(withoutGatewayFacts(await bundle()));
mkdirSync(target, { recursive: true });
writeFileSync(join(target, 'openapi.json'), `${JSON.stringify(document, null, 2)}\n`);
writeFileSync(join(target, 'openapi.yaml'), stringify(document, { lineWidth: 120, aliasDuplicateObjects: false }));
writePackage();
console.log(`${Object.keys(document.paths).length} paths: ${join(target, 'openapi.yaml')}, openapi.json`);

/** Every file reference resolved, shared parts under components. */
async function bundle() {
  const redocly = join(createRequire(import.meta.url).resolve('@redocly/cli/package.json'), '../bin/cli.js');
  const folder = mkdtempSync(join(tmpdir(), 'spec-'));
  try {
    const output = join(folder, 'openapi.json');
    const args = [
      redocly,
      'bundle',
      join(root, 'spec/openapi.yaml'),
      '--config',
      join(root, 'spec/redocly.yaml'),
      '--output',
      output,
    ];
    await promisify(execFile)(process.execPath, args, {
      env: { ...process.env, REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true' },
    });
    return JSON.parse(readFileSync(output, 'utf8'));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** The package: the two files and how to get at them. */
function writePackage() {
  const { publishConfig, name, description, license } = JSON.parse(
    readFileSync(join(root, 'spec/package.json'), 'utf8'),
  );
  const { access, ...fields } = publishConfig;
  const { version } = document.info;
  writeFileSync(
    join(target, 'package.json'),
    `${JSON.stringify({ name, version, description, license, ...fields, publishConfig: { access } }, null, 2)}\n`,
  );
  writeFileSync(
    join(target, 'README.md'),
    `# ${name}\n\n${description} Version ${version}.\n\n\`\`\`js\nimport document from '${name}/openapi.json' with { type: 'json' };\n\`\`\`\n\n\`openapi.yaml\` is the same document.\n`,
  );
}
