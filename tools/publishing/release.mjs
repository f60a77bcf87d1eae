// npx node tools/publishing/release.mjs [--dry-run] [--first-release]: the next version of the client and of the document, out of the conventional commits since the last one.
// Raises both packages and the document, refuses a break that the version does not say, writes CHANGELOG.md, builds what
// `npx nx release publish` then publishes, and keeps the document as the one that the next version is compared with.
// It commits and tags nothing.
import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { releaseChangelog, releaseVersion } from 'nx/release/index.js';
import { formatted } from '../docs/format.ts';
import { compareDocuments } from './compare.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
process.chdir(root);
const dryRun = process.argv.includes('--dry-run');
const generated = join(root, 'libs/contracts/src/generated/openapi.json');
const published = join(root, 'spec/published/openapi.json');
/** What runs is published by nobody, and has the version of the document all the same. */
const UNPUBLISHED = ['.', 'apps/gateway'];
const node = (...args) => execFileSync(process.execPath, args, { cwd: root, stdio: 'inherit' });

const { workspaceVersion, projectsVersionData } = await releaseVersion({
  dryRun,
  gitCommit: false,
  gitTag: false,
  stageChanges: false,
});
if (!workspaceVersion) {
  console.log('Nothing that a version would be made of has been committed since the last one.');
  process.exit(0);
}

const source = join(root, 'spec/openapi.yaml');
const before = readFileSync(source, 'utf8');
const after = before.replace(/^( {2}version: ).+$/m, `$1${workspaceVersion}`);
if (!dryRun) {
  for (const project of UNPUBLISHED) raise(project, workspaceVersion);
  writeFileSync(source, after);
  node('tools/contracts.mjs');
}
const { breaking, base, allowed } = await compareDocuments(published, generated);
if (!allowed && !dryRun) {
  console.error(`${workspaceVersion} does not say that it breaks ${base}:\n  ${breaking.join('\n  ')}`);
  console.error('Mend that, or say it in a commit (feat!: or BREAKING CHANGE:) and release again.');
  process.exit(1);
}
await releaseChangelog({
  dryRun,
  version: workspaceVersion,
  versionData: projectsVersionData,
  gitCommit: false,
  gitTag: false,
  stageChanges: false,
  firstRelease: process.argv.includes('--first-release'),
});
if (!dryRun) {
  node('libs/client/build.mjs');
  node('tools/docs/bundle.mjs');
  await keepDocument();
  console.log(
    `${workspaceVersion} stands. Look at it, commit it, tag it v${workspaceVersion}, then: npx nx release publish`,
  );
}

/** Writes a version into a project's package.json and into the lock file. */
function raise(project, version) {
  edit(join(root, project, 'package.json'), (about) => (about.version = version));
  edit(join(root, 'package-lock.json'), (lock) => {
    if (project === '.') lock.version = version;
    lock.packages[project === '.' ? '' : project].version = version;
  });
}

function edit(file, change) {
  const json = JSON.parse(readFileSync(file, 'utf8'));
  change(json);
  writeFileSync(file, `${JSON.stringify(json, null, 2)}\n`);
}

/** What the next version is compared with. */
async function keepDocument() {
  mkdirSync(join(published, '..'), { recursive: true });
  const text = await formatted(generated, readFileSync(generated, 'utf8'));
  writeFileSync(published, text);
}
