/** /admin/people: who has signed in with the identity provider, and who may not any more. */
import { GatewayError, type components } from '@model-gateway/contracts';
import type { ConsoleRole, OwnerStore, PersonRecord } from '@model-gateway/core';
import { present } from '../../present.ts';
import {
  auditedBy,
  idIn,
  idOfText,
  pageOf,
  textIn,
  type AdminOperations,
  type AdminParts,
} from '../admin-operation.ts';
import type { Tables } from '../audit/audited.ts';
import { timeOf, timeOrNull } from '../values.ts';

type Person = components['schemas']['Person'];

/** Operations on people. What takes a session away takes effect with its next request, everywhere. */
export function personOperations(parts: AdminParts): AdminOperations {
  const { store, now } = parts;
  return {
    listPeople: async (call) => {
      const { filter, view } = pageOf(call, idOfText);
      const role = textIn(call, 'role') as ConsoleRole | undefined;
      const found = await store.people.list({
        ...filter,
        now: now(),
        ...present({ name: textIn(call, 'name'), role }),
      });
      const names = await namesOf(store.owners, found);
      return view(found, (person) => personView(person, names));
    },
    updatePerson: (call) =>
      auditedBy(parts, call).change(async (tables, record) => {
        const { blocked } = call.body;
        const person = await personIn(tables, idIn(call, 'person_id'), now());
        const before = await viewOf(tables, person);
        if (blocked === (person.blockedAt !== undefined)) return before;
        await tables.people.block(person.id, blocked ? now() : undefined);
        if (blocked) await tables.people.endSessions(person, now());
        const after = await viewOf(tables, await personIn(tables, person.id, now()));
        await record({
          action: blocked ? 'person.block' : 'person.unblock',
          subject: `person ${person.id}`,
          before,
          after,
        });
        return after;
      }),
    signOutPerson: (call) =>
      auditedBy(parts, call).change(async (tables, record) => {
        const person = await personIn(tables, idIn(call, 'person_id'), now());
        const before = await viewOf(tables, person);
        await tables.people.endSessions(person, now());
        const after = await viewOf(tables, await personIn(tables, person.id, now()));
        await record({ action: 'person.sign-out', subject: `person ${person.id}`, before, after });
        return after;
      }),
  };
}

async function personIn({ people }: Pick<Tables, 'people'>, id: number, now: number): Promise<PersonRecord> {
  const person = await people.get(id, now);
  if (person !== undefined) return person;
  throw new GatewayError('not_found', `there is no person ${id}; GET /admin/people lists them`, { param: 'person_id' });
}

async function viewOf({ owners }: Pick<Tables, 'owners'>, person: PersonRecord): Promise<Person> {
  return personView(person, await namesOf(owners, [person]));
}

function namesOf(owners: OwnerStore, people: readonly PersonRecord[]): Promise<ReadonlyMap<number, string>> {
  return owners.names([...new Set(people.flatMap(({ ownerId }) => ownerId ?? []))]);
}

function personView(person: PersonRecord, owners: ReadonlyMap<number, string>): Person {
  const { id, name, subject, issuer, role, ownerId } = person;
  return {
    ...{ object: 'person', id, name, subject, issuer, role },
    owner_id: ownerId ?? null,
    owner_name: ownerId === undefined ? null : (owners.get(ownerId) ?? null),
    sign_ins: person.signIns,
    open_sessions: person.openSessions,
    first_sign_in_at: timeOf(person.firstAt),
    last_sign_in_at: timeOf(person.lastAt),
    blocked_at: timeOrNull(person.blockedAt),
  };
}
