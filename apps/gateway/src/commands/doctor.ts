/** `gateway doctor` */
import type { Command } from 'commander';
import type { DoctorOptions } from './doctor-work.ts';
import type { Terminal } from './terminal.ts';

/** Adds `gateway doctor`. */
export function addDoctorCommand(program: Command, terminal: Terminal): void {
  program
    .command('doctor')
    .description('check configuration, database, Redis, clock, disk and every account, and tell you what to fix')
    .option('--offline', 'do not call vendors; by default each account that is on gets one cheap call')
    .option('--json', 'print only JSON')
    .addHelpText('after', '\nExit codes: 0 if nothing is wrong or there are only warnings; 1 if something is wrong.')
    .action(async (options: DoctorOptions) => (await import('./doctor-work.ts')).doctor(terminal, options));
}
