/** Models and accounts of the configuration, changed in the database itself; a gateway that runs on it takes them by and by. */
import { GatewayError } from '@model-gateway/contracts';
import type { Store } from '@model-gateway/core';
import { createConfigEntries, type ChangeOutcome } from '../../resources/config-entries/service.ts';
import { changeView, entryViews, resultView } from '../../resources/config-entries/view.ts';
import type { Config } from '../../config/config.ts';
import { entryId } from '../../config/database-source.ts';
import type { EntryLayer } from '../../config/entry-layer.ts';
import type { Operator } from './operator.ts';

interface LocalConfigurationParts {
  readonly store: Store;
  readonly now: () => number;
  readonly file: Config;
  readonly layer: EntryLayer;
}

/** Makes that part of a database's operator. */
export function localConfiguration({ store, now, file, layer }: LocalConfigurationParts): Operator['configuration'] {
  const service = createConfigEntries(
    { store, now, layer, file: () => file, changed: () => Promise.resolve() },
    { actor: 'command' },
  );
  const rows = async () => entryViews({ layer, file, entries: (await store.configEntries.all()).entries });
  const result = (outcome: ChangeOutcome, dryRun: boolean) =>
    resultView(outcome, { ...outcome.named, dryRun, layer, file });
  return {
    entries: async ({ section, from }) =>
      (await rows()).filter(
        (row) =>
          (section === undefined || row.section === section) &&
          (from === undefined || row.from.some((name) => name === from)),
      ),
    async get(named) {
      const found = (await rows()).find(({ id }) => id === entryId(named));
      if (found === undefined) throw new GatewayError('not_found', `the configuration has no ${entryId(named)}`);
      return found;
    },
    put: async ({ section, name }, input, options) =>
      result(await service.put(section, name, input, options), options.dryRun),
    unset: async ({ section, name }, options) => result(await service.delete(section, name, options), options.dryRun),
    changes: async (limit) => (await store.configEntries.changes({ limit })).map((change) => changeView(change, layer)),
    undo: async (id, options) => result(await service.undo(id, options), options.dryRun),
  };
}
