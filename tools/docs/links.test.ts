/** What the repository's own pages say about the repository: files they link to, commands they name, the configuration they show. */
import { execFile } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';

const root = fileURLToPath(new URL('../..', import.meta.url));
const read = (path: string): string => readFileSync(join(root, path), 'utf8');

/** Pages that people read; what is installed or generated is not among them. */
const pages = ['README.md', ...['docs', 'spec', 'apps', 'libs', 'tools'].flatMap(pagesUnder)];
function pagesUnder(folder: string): string[] {
  return readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .map((path) => join(folder, path))
    .filter((path) => path.endsWith('.md') && !/\/(node_modules|dist|data|fixtures)\//.test(path));
}
const prose = (path: string): string => read(path).replace(/^```[\s\S]*?^```$/gm, '');

describe('links', () => {
  it('there are pages to look at', () => {
    expect(pages).toEqual(expect.arrayContaining(['README.md', 'spec/README.md', 'docs/guides/errors.md']));
  });

  it.each(pages)('of %s lead to files', (page) => {
    const targets = [...prose(page).matchAll(/\]\(([^)\s]+)\)/g)].map(([, target = '']) => target);
    const lost = targets
      .filter((target) => !/^(https?:|mailto:|#|ref:)/.test(target))
      .filter((target) => !existsSync(join(root, dirname(page), target.replace(/#.*$/, ''))));
    expect(lost).toEqual([]);
  });

  it('to headings of other pages find them', () => {
    const lost = pages.flatMap((page) =>
      [...prose(page).matchAll(/\]\(([^)\s:]*\.md)#([^)\s]+)\)/g)]
        .filter(([, file = '', anchor = '']) => {
          const headings = read(join(dirname(page), file)).matchAll(/^#+ (.+)$/gm);
          return ![...headings].some(([, text = '']) => slug(text) === anchor);
        })
        .map(([link]) => `${page}: ${link}`),
    );
    expect(lost).toEqual([]);
  });
});

function slug(text: string): string {
  return text
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s_-]/gu, '')
    .trim()
    .replace(/\s+/g, '-');
}

describe('commands', () => {
  const { scripts } = JSON.parse(read('package.json')) as { scripts: Record<string, string> };
  const own = new Set(['ci', 'start', 'test']);

  it.each(pages)('that %s names exist', (page) => {
    const named = [...read(page).matchAll(/\bnpm run ([\w:-]+)/g)].map(([, script = '']) => script);
    expect(named.filter((script) => scripts[script] === undefined && !own.has(script))).toEqual([]);
    const files = [...read(page).matchAll(/\b(?:npx )?node ((?:tools|apps|libs)\/[\w./-]+)/g)].map(
      ([, file = '']) => file,
    );
    expect(files.filter((file) => !existsSync(join(root, file)))).toEqual([]);
    const builds = [...read(page).matchAll(/\bnx build ([\w-]+)/g)].map(([, project = '']) => project);
    expect(builds.filter((project) => !buildable().includes(project))).toEqual([]);
  });
});

describe('the commands of the guide', () => {
  const named = [...read('docs/guides/commands.md').matchAll(/^\| (`.+?`) +\|/gm)].flatMap(([, cell = '']) =>
    [...cell.matchAll(/`([^`]+)`/g)].map(([, command = '']) => command),
  );

  it('are those that there are', async () => {
    const main = join(root, 'apps/gateway/src/main.ts');
    // What is completed is written from the tree itself.
    const { stdout } = await promisify(execFile)(process.execPath, ['--no-warnings', main, 'completion', 'bash']);
    expect(named.length).toBeGreaterThan(40);
    expect(named.filter((command) => !stdout.includes(`    'gateway ${command}') found=`))).toEqual([]);
  });
});

/** Names of projects with a build. */
function buildable(): string[] {
  const folders = ['libs', 'apps', 'tools', '.'].flatMap((parent) =>
    readdirSync(join(root, parent)).map((name) => join(root, parent, name)),
  );
  return folders.flatMap((folder) =>
    ['project.json', 'package.json']
      .map((name) => join(folder, name))
      .filter((file) => existsSync(file))
      .flatMap((file) => {
        const content = JSON.parse(readFileSync(file, 'utf8')) as Project & { nx?: Project };
        const { name, targets } = file.endsWith('project.json') ? content : (content.nx ?? {});
        return targets?.['build'] === undefined || name === undefined ? [] : [name];
      }),
  );
}
interface Project {
  readonly name?: string;
  readonly targets?: Readonly<Record<string, unknown>>;
}

describe('the configuration that is shown', () => {
  it('is good', async () => {
    const yaml = /```yaml\n([\s\S]+?)```/.exec(read('docs/guides/configuration.md'))?.[1] ?? '';
    const folder = mkdtempSync(join(tmpdir(), 'configuration-'));
    try {
      const file = join(folder, 'gateway.yaml');
      writeFileSync(file, yaml);
      const env = {
        PATH: process.env['PATH'],
        GATEWAY_CONFIG: file,
        OPENAI_API_KEY: 'of-openai',
        METRICS_KEY: 'metrics-0123456789abcdef',
        S3_KEY: 'key',
        S3_SECRET: 'secret',
        TEAM_A_KEY: 'sk-0123456789abcdef',
        TEAM_A_WEBHOOK_SECRET: 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw',
      };
      const args = ['--no-warnings', join(root, 'apps/gateway/src/main.ts'), 'check-config'];
      const { stdout } = await promisify(execFile)(process.execPath, args, { env });
      expect(stdout).toMatch(/is good: \d+ models, those of the built-in catalogue among them, 1 declared keys/);
      expect(stdout).toMatch(/Accounts on: +openai-main/);
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  });
});
