// After npm ci and npm install: the bundle that `npm start` runs. An install never fails for it: the sources run as well, in more memory.
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const newer = fileURLToPath(new URL('../../node_modules/.bin/node', import.meta.url));
const isOld = Number(process.versions.node.split('.')[0]) < 24;
if (isOld && !existsSync(newer)) {
  console.error(
    `The gateway needs Node 24 and this is ${process.versions.node}; npm brings one for Linux only. Install it from https://nodejs.org and run npm ci again.`,
  );
} else {
  const build = fileURLToPath(new URL('build.mjs', import.meta.url));
  const { status, stderr } = spawnSync(isOld ? newer : process.execPath, [build], { encoding: 'utf8' });
  if (status !== 0) console.error(`The bundle could not be made, npm start runs the sources:\n${stderr}`);
}
