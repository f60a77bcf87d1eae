/** `gateway doctor` */
import type { Command } from 'commander';
import type { DoctorOptions } from './doctor-work.ts';
import type { Terminal } from './terminal.ts';

/** Adds `gateway doctor`. */
export function addDoctorCommand(program: Command, terminal: Terminal): void {
  program
    .command('doctor')
    .description('look at configuration, database, Redis, clock, disk and every account, and say what to do')
    .option('--offline', 'ask no vendor; without it each account that is on gets one cheap call')
    .option('--json', 'JSON alone')
    .addHelpText('after', '\nExit codes: 0 nothing is wrong, or there are warnings only; 1 something is.')
    .action(async (options: DoctorOptions) => (await import('./doctor-work.ts')).doctor(terminal, options));
}
