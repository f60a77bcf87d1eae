/** /admin/config: what is loaded, and the models and accounts that are kept in the database. */
import { GatewayError, type JsonObject } from '@model-gateway/contracts';
import type { ConfigSection } from '@model-gateway/core';
import type { Request } from 'express';
import { createConfigEntries, type ChangeOutcome, type ConfigEntries } from './service.ts';
import { changeView, compareIds, configView, entryViews, resultView } from './view.ts';
import { operation, type Handlers } from '../../http/operation.ts';
import { actorOf, idIn, idOfText, numberIn, pageOf, textIn, type AdminParts } from '../admin.ts';

/** Handlers of the configuration. A change takes effect in every process of this machine at once, on other replicas within two seconds. */
export function adminConfigRoutes({ store, now, configuration }: AdminParts): Handlers {
  const { environment, layer, reloading, changed } = configuration;
  const entriesFor = (...call: Parameters<typeof actorOf>): ConfigEntries =>
    createConfigEntries({ store, now, layer, file: reloading.file, changed }, actorOf(...call));
  const rows = async () =>
    entryViews({ layer, file: reloading.file(), entries: (await store.configEntries.all()).entries });
  const result = (outcome: ChangeOutcome, named: ReturnType<typeof nameIn>, dryRun: boolean) =>
    resultView(outcome, { ...named, dryRun, layer, file: reloading.file() });

  return {
    getConfig: operation<'getConfig'>(() => ({
      status: 200,
      body: configView({ environment, loaded: reloading.loaded(), last: reloading.last() }),
    })),
    listConfigEntries: operation<'listConfigEntries'>(async ({ request }) => {
      const { filter, view } = pageOf(request, String);
      const { after } = filter;
      const [section, from, search] = ['section', 'from', 'search'].map((name) => textIn(request, name));
      const found = (await rows()).filter(
        (row) =>
          (section === undefined || row.section === section) &&
          (from === undefined || row.from.some((layerName) => layerName === from)) &&
          (search === undefined || row.name.includes(search)) &&
          (after === undefined || compareIds(row.id, after) > 0),
      );
      return { status: 200, body: view(found.slice(0, filter.limit), (row) => row) };
    }),
    getConfigEntry: operation<'getConfigEntry'>(async ({ request }) => {
      const { section, name } = nameIn(request);
      const found = (await rows()).find((row) => row.section === section && row.name === name);
      if (found === undefined)
        throw new GatewayError('not_found', `the configuration has no ${section}/${name.slice(0, 80)}`, {
          param: 'name',
        });
      return { status: 200, body: found };
    }),
    putConfigEntry: operation<'putConfigEntry'>(async ({ request, response, body }) => {
      const named = nameIn(request);
      const options = optionsIn(request);
      const outcome = await entriesFor(request, response).put(
        named.section,
        named.name,
        {
          ...(body.value !== undefined && { value: body.value as JsonObject }),
          ...(body.removed !== undefined && { removed: body.removed }),
        },
        options,
      );
      return { status: 200, body: result(outcome, named, options.dryRun) };
    }),
    deleteConfigEntry: operation<'deleteConfigEntry'>(async ({ request, response }) => {
      const named = nameIn(request);
      const options = optionsIn(request);
      const outcome = await entriesFor(request, response).delete(named.section, named.name, options);
      return { status: 200, body: result(outcome, named, options.dryRun) };
    }),
    listConfigChanges: operation<'listConfigChanges'>(async ({ request }) => {
      const { filter, view } = pageOf(request, idOfText);
      const section = textIn(request, 'section') as ConfigSection | undefined;
      const name = textIn(request, 'name');
      const changes = await store.configEntries.changes({
        ...filter,
        ...(section !== undefined && { section }),
        ...(name !== undefined && { name }),
      });
      return { status: 200, body: view(changes, (change) => changeView(change, layer)) };
    }),
    undoConfigChange: operation<'undoConfigChange'>(async ({ request, response }) => {
      const id = idIn(request, 'change_id');
      const { dryRun } = optionsIn(request);
      const outcome = await entriesFor(request, response).undo(id, { dryRun });
      return { status: 200, body: result(outcome, outcome.named, dryRun) };
    }),
  };
}

/** The row that the address names; the document has checked the section. */
function nameIn({ params }: Request): { readonly section: ConfigSection; readonly name: string } {
  return { section: String(params['section']) as ConfigSection, name: String(params['name']) };
}

function optionsIn(request: Request): { readonly version: number | undefined; readonly dryRun: boolean } {
  return { version: numberIn(request, 'version'), dryRun: textIn(request, 'dry_run') === 'true' };
}
