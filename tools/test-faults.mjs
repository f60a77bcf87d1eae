// What failed in a run of the tests, from the results that the runs left: the assertions in full, and the files that could not be loaded.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { stripVTControlCharacters } from 'node:util';

const FAULTS_SHOWN = 5;
const FAULTS_NAMED = 50;
const LINES_OF_A_FAULT = 40;
const FRAMES_OF_A_FAULT = 5;

/** Lines for people, none if nothing failed. Bounded: the first faults, each cut to its first lines, then the names of others. Paths are relative to `root`. */
export function testFaults(root) {
  const folder = join(root, '.test-results');
  if (!existsSync(folder)) return [];
  const faults = readdirSync(folder)
    .filter((name) => name.endsWith('.json'))
    .flatMap((name) => JSON.parse(readFileSync(join(folder, name), 'utf8')).testResults)
    .flatMap(faultsOfFile);
  const left = faults.length - FAULTS_SHOWN;
  return [
    ...faults.slice(0, FAULTS_SHOWN).flatMap((fault) => linesOf(fault, root)),
    ...(left > 0 ? [`… and ${left} more failed:`] : []),
    ...faults.slice(FAULTS_SHOWN, FAULTS_NAMED).map(({ title }) => `✖ ${title}`.replaceAll(root, '')),
  ];
}

/** A file without a single result could not be loaded, or was ended by something outside its tests. */
function faultsOfFile({ name, status, message, assertionResults }) {
  const failed = assertionResults.filter((result) => result.status === 'failed');
  if (failed.length === 0 && status === 'failed') return [{ title: name, text: message }];
  return failed.map(({ fullName, failureMessages }) => ({
    title: `${name} › ${fullName}`,
    text: failureMessages.join('\n'),
  }));
}

/** Says where before what, since it is what that may be long. */
function linesOf({ title, text }, root) {
  const lines = stripVTControlCharacters(text).split('\n').filter(isWorthReading);
  const frames = lines.filter(isFrame);
  const words = lines.filter((line) => !isFrame(line));
  const left = words.length - LINES_OF_A_FAULT;
  return [
    `✖ ${title}`,
    ...frames.slice(0, FRAMES_OF_A_FAULT).map((line) => `  ${line}`),
    ...words.slice(0, LINES_OF_A_FAULT).map((line) => `  ${line}`),
    ...(left > 0 ? [`  … and ${left} more lines`] : []),
  ].map((line) => line.replaceAll(`file://${root}`, '').replaceAll(root, ''));
}

function isFrame(line) {
  return /^\s+at \S/.test(line);
}

/** Frames of the runner and of Node say nothing about the fault. */
function isWorthReading(line) {
  return (
    line.trim() !== '' && !isLogLine(line) && !(isFrame(line) && /node_modules|\(?node:|<anonymous>\)$/.test(line))
  );
}

/** A line of the gateway's own log, in JSON, which may say "error" although all is well. */
export function isLogLine(line) {
  return line.includes('{"level":');
}
