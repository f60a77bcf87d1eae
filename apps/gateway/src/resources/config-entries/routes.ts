/** /admin/config: what is loaded, and the models, accounts and budgets that are kept in the database. */
import { GatewayError, type JsonObject } from '@model-gateway/contracts';
import type { ConfigSection } from '@model-gateway/core';
import { present } from '../../present.ts';
import {
  auditedBy,
  idIn,
  idOfText,
  numberIn,
  pageOf,
  textIn,
  type AdminOperations,
  type AdminParts,
  type Asked,
} from '../admin-operation.ts';
import type { Actor } from '../audit/audited.ts';
import { ConfigEntryService, type ChangeOutcome } from './service.ts';
import { changeView, compareIds, configView, keptViews, resultView } from './view.ts';

/** Operations on the configuration. A change takes effect in every process of this machine at once, on other replicas within a second. */
export function configOperations(parts: AdminParts): AdminOperations {
  const { store, configuration } = parts;
  const { environment, layer, reloading } = configuration;
  const entriesFor = (call: { readonly actor: Actor }) =>
    new ConfigEntryService(auditedBy(parts, call), call.actor, configuration);
  const views = keptViews(layer);
  const rows = async () => views(reloading.file(), (await store.configEntries.all()).entries);
  const result = async (outcome: Promise<ChangeOutcome>, { dryRun }: { readonly dryRun: boolean }) =>
    resultView(await outcome, { dryRun, layer, file: reloading.file() });

  return {
    getConfig: () => configView({ environment, loaded: reloading.loaded(), last: reloading.last() }),
    listConfigEntries: async (call) => {
      const { filter, view } = pageOf(call, String);
      const { after } = filter;
      const [section, from, search] = ['section', 'from', 'search'].map((name) => textIn(call, name));
      const found = (await rows()).filter(
        (row) =>
          (section === undefined || row.section === section) &&
          (from === undefined || row.from.some((layerName) => layerName === from)) &&
          (search === undefined || row.name.includes(search)) &&
          (after === undefined || compareIds(row.id, after) > 0),
      );
      return view(found.slice(0, filter.limit), (row) => row);
    },
    getConfigEntry: async (call) => {
      const { section, name } = nameIn(call);
      const found = (await rows()).find((row) => row.section === section && row.name === name);
      if (found !== undefined) return found;
      throw new GatewayError('not_found', `the configuration has no ${section}/${name.slice(0, 80)}`, {
        param: 'name',
      });
    },
    putConfigEntry: (call) => {
      const input = present({ value: call.body.value as JsonObject | undefined, removed: call.body.removed });
      return result(entriesFor(call).put(nameIn(call), input, optionsIn(call)), optionsIn(call));
    },
    deleteConfigEntry: (call) => result(entriesFor(call).delete(nameIn(call), optionsIn(call)), optionsIn(call)),
    listConfigChanges: async (call) => {
      const { filter, view } = pageOf(call, idOfText);
      const row = present({
        section: textIn(call, 'section') as ConfigSection | undefined,
        name: textIn(call, 'name'),
      });
      return view(await store.configEntries.changes({ ...filter, ...row }), (change) => changeView(change, layer));
    },
    undoConfigChange: (call) => {
      const { dryRun } = optionsIn(call);
      return result(entriesFor(call).undo(idIn(call, 'change_id'), { dryRun }), { dryRun });
    },
  };
}

/** The row that the address names; the document has checked the section. */
function nameIn({ params }: Asked): { readonly section: ConfigSection; readonly name: string } {
  return { section: String(params['section']) as ConfigSection, name: String(params['name']) };
}

function optionsIn(asked: Asked): { readonly version: number | undefined; readonly dryRun: boolean } {
  return { version: numberIn(asked, 'version'), dryRun: textIn(asked, 'dry_run') === 'true' };
}
