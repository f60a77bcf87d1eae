/** `gateway people list`, `gateway people block`, `gateway people unblock`, `gateway people sign-out` */
import type { Command } from 'commander';
import type { components } from '@model-gateway/contracts';
import { operatorCommand, wholeNumber, type OperatorOptions } from '../../commands/command-options.ts';
import { withOperator } from '../../commands/operator.ts';
import { counted, moment, named } from '../../commands/output.ts';
import type { Terminal } from '../../commands/terminal.ts';

type Person = components['schemas']['Person'];

interface ListOptions extends OperatorOptions {
  readonly name?: string;
  readonly role?: Person['role'];
  readonly limit?: number;
}

const SHOWN = 100;

/** Adds `gateway people`. */
export function addPersonCommands(program: Command, terminal: Terminal): void {
  const people = program.command('people').description('who has signed in to the console with the identity provider');
  operatorCommand(people, 'list', 'people, those who came last first')
    .option('--name <text>', 'only people whose name contains this')
    .option('--role <role>', 'only admin, owner or member')
    .option('--limit <n>', `how many to show; ${SHOWN} by default`, wholeNumber)
    .action(({ name, role, limit = SHOWN, ...options }: ListOptions) =>
      withOperator(terminal, options, async ({ list, sayTable }) => {
        const found = await list('listPeople', { name, role }, limit);
        const headings = ['id', 'name', 'role', 'owner', 'sessions', 'last sign-in', 'blocked'];
        sayTable(found, 'Nobody has signed in with an identity provider yet.', headings, cellsOf);
      }),
    );
  for (const blocked of [true, false]) {
    const about = blocked ? 'end all sessions of a person and refuse further sign-ins' : 'let a person sign in again';
    operatorCommand(people, `${blocked ? 'block' : 'unblock'} <id>`, about).action(
      (id: string, options: OperatorOptions) =>
        withOperator(terminal, options, async ({ call, say }) => {
          const person = await call('updatePerson', { path: { person_id: wholeNumber(id) }, body: { blocked } });
          say(person, () => `${person.name} ${blocked ? 'is blocked and signed out' : 'may sign in again'}.`);
        }),
    );
  }
  operatorCommand(people, 'sign-out <id>', 'end all sessions of a person').action(
    (id: string, options: OperatorOptions) =>
      withOperator(terminal, options, async ({ call, say }) => {
        const person = await call('signOutPerson', { path: { person_id: wholeNumber(id) }, body: {} });
        say(person, () => `${person.name} has ${counted(person.open_sessions, 'open session')}.`);
      }),
  );
}

function cellsOf(person: Person): readonly string[] {
  const { id, name, role, owner_id: owner, owner_name: ownerName } = person;
  const times = [person.last_sign_in_at, person.blocked_at].map(moment);
  return [String(id), name, role, named(ownerName, owner), String(person.open_sessions), ...times];
}
