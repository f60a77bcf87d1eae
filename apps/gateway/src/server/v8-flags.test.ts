/** V8 has the flags that the gateway sets; of an unknown one it only says so. */
import { spawnSync } from 'node:child_process';
import { expect, it } from 'vitest';

const node = (program: string) =>
  spawnSync(process.execPath, ['--no-warnings', '--input-type=module', '-e', program], { encoding: 'utf8' });

it('this V8 knows every flag that is set', () => {
  const { status, stdout, stderr } = node(`
    import { compileWebAssemblyWell, setV8Flags } from '${new URL('./v8-flags.ts', import.meta.url).href}';
    setV8Flags();
    compileWebAssemblyWell();
    console.log('set');
  `);
  expect({ status, stdout, stderr }).toEqual({ status: 0, stdout: 'set\n', stderr: '' });
});

it('one that it does not know would be told of', () => {
  const { stderr } = node(`import { setFlagsFromString } from 'node:v8'; setFlagsFromString('--no-such-flag');`);
  expect(stderr).toMatch(/no-such-flag/);
});
