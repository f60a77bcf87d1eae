// Writes the generated files of libs/contracts and libs/client from the document in spec/ (and from the built-in catalogue which model takes
// which body), and what vendors can do from the files of their folders, or with --check says whether what is committed still matches it.
import './needs-node-24.mjs';
import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readFile, readdir, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { modelsText } from './contracts/models.mjs';
import { vendorFactsText, vendorTexts } from './contracts/vendors.mjs';
import { boundIntegers } from './contracts/integers.mjs';
import { operationsOf, operationsText, routesText, withoutGatewayFacts } from './contracts/operations.mjs';
import { formatted } from './docs/format.ts';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const SPEC = join(ROOT, 'spec');
const CONTRACTS = join(ROOT, 'libs/contracts/src/generated');
const CATALOGUE = join(ROOT, 'apps/gateway/config/catalogue.yaml');
const FACTS = join(ROOT, 'apps/gateway/src/generated/vendor-facts.ts');
const CLIENT = join(ROOT, 'libs/client/src/generated');
const METHODS = ['get', 'put', 'post', 'delete', 'options', 'head', 'patch', 'trace'];
const MODELS_BANNER =
  '// Written by tools/contracts.mjs from apps/gateway/config/catalogue.yaml. Change it there, then run: node tools/contracts.mjs\n';
const BANNER =
  '// Written by tools/contracts.mjs from the document in spec/. Change it there, then run: node tools/contracts.mjs\n';

const check = process.argv.includes('--check');

try {
  const bundled = await bundle();
  const operations = operationsOf(bundled);
  const written = withoutGatewayFacts(bundled);
  const document = boundIntegers(written);
  await validate(document);
  await checkExamples(document);
  const files = await generate({ written, document }, operations, bundled.components.schemas);
  if (check) {
    await compare(files);
    await compare(await facts());
  } else {
    await write(files);
    // By adapters that stand on what was just written.
    await write(await facts());
  }
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exit(1);
}

/** One self-contained document: every file reference resolved, shared parts under components. */
async function bundle() {
  const redocly = join(dirname(createRequire(import.meta.url).resolve('@redocly/cli/package.json')), 'bin/cli.js');
  const folder = await mkdtemp(join(tmpdir(), 'contracts-'));
  try {
    const output = join(folder, 'openapi.json');
    const run = promisify(execFile)(
      process.execPath,
      [redocly, 'bundle', join(SPEC, 'openapi.yaml'), '--config', join(SPEC, 'redocly.yaml'), '--output', output],
      { env: { ...process.env, REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true' } },
    );
    await run.catch((error) => {
      throw new Error(`The document in spec/ cannot be bundled:\n${error.stdout}${error.stderr}`);
    });
    return JSON.parse(await readFile(output, 'utf8'));
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function validate(document) {
  const { default: SwaggerParser } = await import('@apidevtools/swagger-parser');
  try {
    await SwaggerParser.validate(structuredClone(document));
  } catch (error) {
    throw new Error(`The bundled document is not valid OpenAPI: ${error.message}`);
  }
}

/** Every operation has a runnable example, and every example belongs to an operation that shows it. */
async function checkExamples(document) {
  const operations = new Map();
  for (const [path, item] of Object.entries(document.paths)) {
    for (const method of METHODS) {
      if (item[method] !== undefined) operations.set(item[method].operationId, { path, operation: item[method] });
    }
  }
  const faults = [];
  const without = new Set(operations.keys());
  const shown = new Set();
  for (const { operation } of operations.values()) {
    for (const { examples } of Object.values(operation.requestBody?.content ?? {})) {
      for (const { $ref } of Object.values(examples ?? {})) {
        if ($ref !== undefined) shown.add($ref.replace('#/components/examples/', ''));
      }
    }
  }
  for (const file of await readdir(join(SPEC, 'examples'))) {
    const name = file.replace(/\.json$/, '');
    const [operationId] = name.split('.');
    const found = operations.get(operationId);
    if (found === undefined) {
      faults.push(`spec/examples/${file}: there is no operation ${operationId}`);
      continue;
    }
    without.delete(operationId);
    const example = JSON.parse(await readFile(join(SPEC, 'examples', file), 'utf8'));
    if (example.value !== undefined && !shown.has(name))
      faults.push(`spec/examples/${file}: ${operationId} does not show it`);
    if (example['x-request']?.url !== undefined) continue; // a ready-made link from another answer
    const given = example['x-request']?.path ?? {};
    for (const [, parameter] of found.path.matchAll(/\{(\w+)\}/g)) {
      if (given[parameter] === undefined) faults.push(`spec/examples/${file}: x-request.path.${parameter} is missing`);
    }
  }
  const names = new Set((await readdir(join(SPEC, 'examples'))).map((file) => file.replace(/\.json$/, '')));
  for (const name of names) {
    const text = await readFile(join(SPEC, 'examples', `${name}.json`), 'utf8');
    for (const [, source] of text.matchAll(/"\$(\w+\.\w+)[#@]/g)) {
      if (!names.has(source))
        faults.push(`spec/examples/${name}.json: there is no example ${source} to take a value from`);
    }
  }
  for (const operationId of without) faults.push(`spec/examples: ${operationId} has no example`);
  if (faults.length > 0) throw new Error(faults.join('\n'));
}

async function generate({ written, document }, operations, schemas) {
  const { default: openapiTS, astToString } = await import('openapi-typescript');
  const { default: ts } = await import('typescript');
  const { parse } = await import('yaml');
  const blob = ts.factory.createTypeReferenceNode('Blob');
  const types = await openapiTS(written, {
    alphabetize: false,
    // A file in a form is a Blob for who sends it, not text.
    transform: (schema) => (schema.format === 'binary' ? blob : undefined),
  });
  const files = {
    [join(CONTRACTS, 'openapi.json')]: JSON.stringify(document),
    [join(CONTRACTS, 'api.d.ts')]: `${BANNER}${astToString(types)}`,
    [join(CONTRACTS, 'operations.ts')]: `${BANNER}${operationsText(operations, document.info.version, schemas)}`,
    [join(CLIENT, 'routes.ts')]: `${BANNER}${routesText(operations)}`,
    [join(CLIENT, 'models.ts')]: `${MODELS_BANNER}${modelsText(parse(await readFile(CATALOGUE, 'utf8')))}`,
  };
  Object.assign(files, await vendorTexts(ROOT));
  for (const [path, text] of Object.entries(files)) files[path] = await formatted(path, text);
  return files;
}

async function facts() {
  return { [FACTS]: await formatted(FACTS, await vendorFactsText(ROOT)) };
}

async function write(files) {
  for (const [path, text] of Object.entries(files)) {
    await mkdir(dirname(path), { recursive: true });
    await writeFile(path, text);
  }
}

async function compare(files) {
  const stale = [];
  for (const [path, text] of Object.entries(files)) {
    const committed = await readFile(path, 'utf8').catch(() => undefined);
    if (committed !== text) stale.push(relative(ROOT, path));
  }
  if (stale.length > 0) {
    throw new Error(
      `${stale.join(' and ')} no longer match the document in spec/, the built-in catalogue or the files of the vendors. Run: node tools/contracts.mjs`,
    );
  }
}
