/** The document as it is published: nobody who uses it is broken without notice, and the package holds what it says. */
import { copyFileSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { compareDocuments, mayBreak } from './compare.ts';
import { node, openSandbox, readJson, ROOT, type Sandbox } from './sandbox.ts';

const PUBLISHED = join(ROOT, 'spec/published/openapi.json');
const NOW = join(ROOT, 'libs/contracts/src/generated/openapi.json');

interface Document {
  info: { version: string; description: string };
  paths: Record<string, Record<string, { parameters?: unknown[] }>>;
  components: {
    schemas: Record<string, { required?: string[]; enum?: string[]; properties?: Record<string, unknown> }>;
  };
}

// Compilers and browsers beside other work take their time.
vi.setConfig({ testTimeout: 300_000, hookTimeout: 300_000 });

let sandbox: Sandbox;
beforeAll(() => {
  sandbox = openSandbox();
});
afterAll(() => sandbox.close());

let written = 0;
/** The document of now with a change, compared with itself. */
async function changed(change: (document: Document) => void): ReturnType<typeof compareDocuments> {
  const document = JSON.parse(readFileSync(NOW, 'utf8')) as Document;
  change(document);
  const file = join(sandbox.folder, `changed-${written++}.json`);
  writeFileSync(file, JSON.stringify(document));
  return compareDocuments(NOW, file);
}

describe('a breaking change', () => {
  it('is none against the last published version, or the version rose for it', async () => {
    const { breaking, base, revision, allowed } = await compareDocuments(PUBLISHED, NOW);
    expect({ base, revision, breaking: allowed ? [] : breaking }).toEqual({ base, revision, breaking: [] });
  });

  it.each([
    { name: 'an operation is gone', change: (document: Document) => delete document.paths['/v1/estimate'] },
    {
      name: 'an answer lost a field that was always there',
      change: ({ components }: Document) => {
        const task = components.schemas['VideoTask']!;
        delete task.properties!['result_url'];
        task.required = task.required!.filter((name) => name !== 'result_url');
      },
    },
    {
      name: 'a body needs one field more',
      change: ({ components }: Document) => {
        components.schemas['KeyCreate']!.required!.push('owner_id');
      },
    },
    {
      name: 'a parameter is now required',
      change: ({ paths }: Document) => {
        const list = paths['/v1/models']!['get']!;
        list.parameters!.push({ name: 'kind', in: 'query', required: true, schema: { type: 'string' } });
      },
    },
  ])('is found: $name', async ({ change }) => {
    const { breaking, allowed } = await changed(change);
    expect(breaking).not.toEqual([]);
    expect(allowed).toBe(false);
  });

  it('may be, in a version that says so', async () => {
    const { breaking, allowed } = await changed((document) => {
      delete document.paths['/v1/estimate'];
      document.info.version = `${Number(document.info.version.split('.')[0]) + 1}.0.0`;
    });
    expect(breaking).toHaveLength(1);
    expect(breaking[0]).toContain('estimate');
    expect(allowed).toBe(true);
  });

  it.each([
    { name: 'words', change: (document: Document) => (document.info.description += ' And more.') },
    {
      name: 'a new operation',
      change: ({ paths }: Document) => (paths['/v1/estimates'] = structuredClone(paths['/v1/estimate']!)),
    },
    {
      name: 'a new error code',
      change: ({ components }: Document) => components.schemas['ErrorCode']!.enum!.push('a_new_code'),
    },
  ])('is not seen in $name', async ({ change }) => {
    expect(await changed(change)).toMatchObject({ breaking: [], allowed: true });
  });

  it.each([
    ['0.1.0', '0.1.1', false],
    ['0.1.0', '0.2.0', true],
    ['0.9.0', '1.0.0', true],
    ['1.2.3', '1.3.0', false],
    ['1.2.3', '2.0.0', true],
    ['2.0.0', '1.0.0', false],
    ['1.0.0', '0.9.0', false],
  ])('%s → %s: %s', (base, revision, may) => {
    expect(mayBreak(base, revision)).toBe(may);
  });
});

describe('versions', () => {
  it('of the document, of both packages and of what runs are one', () => {
    const { info } = JSON.parse(readFileSync(NOW, 'utf8')) as Document;
    for (const project of ['spec', 'libs/client', 'apps/gateway', '.'])
      expect({ project, version: readJson(join(ROOT, project, 'package.json'))['version'] }).toEqual({
        project,
        version: info.version,
      });
  });
});

describe('the package of the document', () => {
  it('is installed and read as JSON and as YAML, one self-contained file each', async () => {
    const built = join(sandbox.folder, 'spec');
    await node([join(ROOT, 'tools/docs/bundle.mjs'), built], ROOT);
    const project = await sandbox.project('a-portal', await sandbox.pack([built]));
    writeFileSync(
      join(project, 'read.mjs'),
      `import document from '@model-gateway/spec/openapi.json' with { type: 'json' };
import { createRequire } from 'node:module';
const yaml = createRequire(import.meta.url).resolve('@model-gateway/spec/openapi.yaml');
console.log(JSON.stringify({ document, yaml }));`,
    );
    const { document, yaml } = JSON.parse(await node(['read.mjs'], project)) as { document: Document; yaml: string };
    const text = readFileSync(yaml, 'utf8');
    expect(text).not.toMatch(/\$ref: ['"]?(?!#)[^\s'"]/);
    const refs = JSON.stringify(document).match(/"\$ref":"[^"]*"/g) ?? [];
    expect(refs.filter((ref) => !ref.startsWith('"$ref":"#/'))).toEqual([]);
    expect(Object.keys(document.paths)).toEqual(Object.keys((readJson(NOW) as unknown as Document).paths));
    // The YAML is the same document.
    copyFileSync(yaml, join(sandbox.folder, 'copy.yaml'));
    const same = await compareDocuments(
      join(project, 'node_modules/@model-gateway/spec/openapi.json'),
      join(sandbox.folder, 'copy.yaml'),
    );
    expect(same.breaking).toEqual([]);
    expect(existsSync(join(project, 'node_modules/@model-gateway/spec/README.md'))).toBe(true);
  });
});
