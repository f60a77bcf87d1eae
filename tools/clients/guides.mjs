/** The Python programs that the guides show, run as somebody would who has put in their own address and key. */
import { readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { pythonOf } from './environments.mjs';
import { KEY } from './gateway.mjs';
import { run } from './processes.mjs';
import { startRelay } from './relay.mjs';
import { emptyHome } from './sandbox.mjs';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const SDKS = ['openai', 'anthropic', 'google-genai'];
/** Frameworks have environments of their own. */
const ENVIRONMENTS = { langchain_openai: 'langchain', llama_index: 'llama-index', pydantic_ai: 'pydantic-ai' };
/** Pages about generating: each shows it in Python too. */
const PAGES = ['quick-start', 'chat', 'streaming', 'images', 'speech', 'transcription', 'video-tasks'].map(
  (name) => `docs/guides/${name}.md`,
);
const CASE_SECONDS = 60;
const PYTHON = /^```python(?: tab="([^"]*)")?\n([\s\S]+?)^```$/gm;
/** A picture of 64 by 64 pixels and a second of a tone, for programs that send a file. */
const MAKE_FILES = `import struct, wave, zlib
def chunk(kind, data):
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
rows = b"".join(b"\\0" + b"\\x20\\x40\\x80" * 64 for _ in range(64))
header = struct.pack(">IIBBBBB", 64, 64, 8, 2, 0, 0, 0)
open("picture.png", "wb").write(b"\\x89PNG\\r\\n\\x1a\\n" + chunk(b"IHDR", header) + chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b""))
with wave.open("talk.wav", "wb") as sound:
    sound.setnchannels(1)
    sound.setsampwidth(1)
    sound.setframerate(8000)
    sound.writeframes(bytes(128 + 60 * (at // 9 % 2) for at in range(8000)))
`;

export const guides = {
  name: 'guides',
  ran: 'every Python program of README.md and the guides',
  prepare: () => pythonOf('sdks'),
  async run({ gateway, outside, filter = '' }) {
    const python = await pythonOf('sdks');
    const programs = programsOf(['README.md', ...markdownIn('docs'), ...markdownIn('docs/guides')]);
    const cases = PAGES.map((page) => hasPython(page, programs)).filter(({ name }) => name.includes(filter));
    const relay = await startRelay(gateway.url);
    const home = emptyHome();
    const options = { cwd: home.folder, env: { ...home.env, ...outside.env }, seconds: CASE_SECONDS };
    try {
      await run(python, ['-c', MAKE_FILES], options);
      for (const { name, code } of programs.filter((program) => program.name.includes(filter))) {
        relay.begin();
        const file = join(home.folder, 'first.py');
        writeFileSync(file, code.replaceAll('http://127.0.0.1:8080', relay.url).replaceAll('sk-test-…', KEY));
        const framework = Object.keys(ENVIRONMENTS).find((each) => code.includes(`from ${each}`));
        const runner = framework === undefined ? python : await pythonOf(ENVIRONMENTS[framework]);
        cases.push(judge(name, await run(runner, [file], options), relay));
      }
      const { stdout } = await run(python, ['-c', versionsOf(SDKS)], options);
      return { version: stdout.trim(), cases };
    } finally {
      await relay.close();
      home.remove();
    }
  },
};

function markdownIn(folder) {
  return readdirSync(join(ROOT, folder))
    .filter((name) => name.endsWith('.md'))
    .map((name) => `${folder}/${name}`);
}

function programsOf(files) {
  return files.flatMap((file) =>
    [...readFileSync(join(ROOT, file), 'utf8').matchAll(PYTHON)].map(([, tab = '', code], index) => ({
      name: `${file} ${index + 1} ${tab}`.trim(),
      code,
    })),
  );
}

function hasPython(page, programs) {
  const ok = programs.some(({ name }) => name.startsWith(page));
  return { name: `${page} has Python`, ok, seconds: 0, ...(!ok && { error: 'it shows no program in Python' }) };
}

/** A program that ends well and prints something of the answer. */
function judge(name, { code, timedOut, stdout, stderr, seconds }, relay) {
  const ok = code === 0 && stdout.trim() !== '' && !/^None$/m.test(stdout);
  if (ok) return { name, ok, seconds };
  const why = timedOut ? `took more than ${CASE_SECONDS} s` : `ended with ${code}`;
  const error = `${why}; printed ${JSON.stringify(stdout.slice(-600))}; said ${JSON.stringify(stderr.slice(-1_500))}`;
  return { name, ok, seconds, error, wire: relay.said() };
}

function versionsOf(packages) {
  return `from importlib.metadata import version
print(", ".join(f"{name} {version(name)}" for name in ${JSON.stringify(packages)}))`;
}
