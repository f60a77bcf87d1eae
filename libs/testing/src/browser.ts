import { existsSync } from 'node:fs';
import type { Browser } from 'playwright-core';
import { describe } from 'vitest';

/** The one of the environment, or what the system has; the shell without windows takes two thirds of the CPU. */
const CHROMIUM =
  process.env['CHROMIUM'] ??
  ['/usr/bin/chromium-headless-shell', '/usr/bin/chromium'].find((path) => existsSync(path)) ??
  '';
/** It is alone on its machine, and asks nobody but the gateway. Pages of a site share a process, and with it what was compiled. */
const USUAL = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--process-per-site',
  // Pages live for seconds: to compile them for speed takes longer than they run, a tenth of all that the browser does.
  '--js-flags=--no-maglev,--no-turbofan',
];

/** Whether there is a Chromium here. */
export function hasTestBrowser(): boolean {
  return existsSync(CHROMIUM);
}

/** A suite that a machine without Chromium skips. */
export const describeInBrowser = hasTestBrowser() ? describe : describe.skip;

/** Starts it without a window, with further arguments of its command line; close it yourself. */
export async function openTestBrowser(more: readonly string[] = []): Promise<Browser> {
  // Most tests need none.
  const { chromium } = await import('playwright-core');
  return chromium.launch({ executablePath: CHROMIUM, args: [...USUAL, ...more] });
}
