/** What `gateway doctor` does: one look after the other, each with its line. */
import { vendors } from '../adapters.ts';
import { buildCatalogue } from '../config/catalogue.ts';
import { ConfigError, readConfig, type Config } from '../config/config.ts';
import type { JsonOption } from './command-options.ts';
import { withEntries } from '../server/kept-config.ts';
import {
  lookAtAccounts,
  lookAtDatabase,
  lookAtDisk,
  lookAtGateway,
  lookAtIdentityProvider,
  lookAtRedis,
} from './doctor/checks.ts';
import { lookAtClock } from './doctor/clock.ts';
import type { Finding } from './doctor/finding.ts';
import { counted, plainText, paintFor, type Paint } from './output.ts';
import type { Terminal } from './terminal.ts';

export interface DoctorOptions extends JsonOption {
  readonly offline?: boolean;
}

/** Looks at everything that a gateway needs. Exit code 1 when something is wrong. */
export async function doctor(terminal: Terminal, { offline = false, json = false }: DoctorOptions): Promise<void> {
  const { env, now, out, stdout, exitWith } = terminal;
  const paint = paintFor(stdout);
  const findings: Finding[] = [];
  // A line as soon as it is known: some looks take seconds.
  const found = (more: readonly Finding[]): void => {
    findings.push(...more);
    if (!json) for (const finding of more) out(lineOf(finding, paint));
  };
  const config = configuration(env, found);
  if (config !== undefined) {
    // What the look at the database says is not said twice.
    const catalogue = buildCatalogue(await withEntries(config, env, () => undefined), vendors, undefined);
    found(await lookAtDisk(config));
    found(await lookAtDatabase(config, now));
    found(await lookAtRedis(config, now));
    found(await lookAtClock({ catalogue, now, offline }));
    found(await lookAtGateway(config));
    found(await lookAtIdentityProvider(config, { offline }));
    found(await lookAtAccounts({ catalogue, now, offline }));
  }
  const faults = findings.filter(({ state }) => state === 'fault').length;
  const warnings = findings.filter(({ state }) => state === 'warning').length;
  if (json) out(JSON.stringify({ ok: faults === 0, faults, warnings, findings }));
  else out(summary(faults, warnings, paint));
  if (faults > 0) exitWith(1);
}

function configuration(env: Terminal['env'], found: (findings: readonly Finding[]) => void): Config | undefined {
  try {
    const config = readConfig(env);
    const source = config.file ?? 'the built-in catalogue; GATEWAY_CONFIG names no file';
    const { length } = config.warnings;
    found([
      length === 0
        ? { name: 'configuration', state: 'ok', message: source }
        : {
            name: 'configuration',
            state: 'warning',
            message: `${source} has ${length === 1 ? 'a warning' : `${length} warnings`}`,
            advice: 'gateway check-config says what they are',
          },
    ]);
    return config;
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    found([
      {
        name: 'configuration',
        state: 'fault',
        message: error.message,
        advice: 'mend it, then run gateway doctor again: the rest is looked at then',
      },
    ]);
    return undefined;
  }
}

const SHOWN = { ok: ['green', 'ok'], warning: ['yellow', 'warning'], fault: ['red', 'fault'] } as const;

function lineOf({ name, state, message, advice }: Finding, paint: Paint): string {
  const [colour, word] = SHOWN[state];
  const told = state === 'fault' && message.includes('\n') ? message : plainText(message);
  return `${paint(colour, word.padEnd(8))}${`${name} `.padEnd(16)}${told}${advice === undefined ? '' : `\n${' '.repeat(24)}${paint('bold', '→')} ${plainText(advice)}`}`;
}

function summary(faults: number, warnings: number, paint: Paint): string {
  const also = warnings === 0 ? '' : `; ${counted(warnings, 'warning')}`;
  if (faults > 0) return paint('red', `${faults === 1 ? 'Something is' : `${faults} things are`} wrong${also}.`);
  return paint('green', `Nothing is wrong${also}.`);
}
