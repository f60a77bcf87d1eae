/** The models that the session's key may use, and those of the catalogue. */
import { useQuery } from '@tanstack/react-query';
import { api, ask, type Schemas } from '../api/api.ts';
import { useRights } from '../api/session.ts';

export type Model = Schemas['CatalogueModel'];

/** All models, in the order of the catalogue; with `isOn` false nothing is asked. */
export function useModels(isOn = true) {
  return useQuery({
    queryKey: ['models'],
    enabled: isOn,
    staleTime: 60_000,
    queryFn: async (): Promise<readonly Model[]> => {
      const list = await ask(api.GET('/v1/models', { params: { query: {} } }));
      return 'object' in list ? list.data : [];
    },
  });
}

/** All of the catalogue, which operators see; with `isOn` false nothing is asked. */
export function useCatalogue(isOn = true) {
  return useQuery({
    queryKey: ['models', 'all'],
    enabled: isOn,
    staleTime: 60_000,
    queryFn: async (): Promise<readonly Model[]> => (await ask(api.GET('/admin/models', {}))).data,
  });
}

/** What the session may look at: the models of its key; without a key all of the catalogue, which operators see. With `isOn` false nothing is asked. */
export function useVisibleModels(isOn = true) {
  const { admin, key } = useRights();
  const ofKey = useModels(isOn && key !== null);
  const all = useCatalogue(isOn && key === null && admin);
  return key === null ? all : ofKey;
}

/** Of a kind: `chat`, `image`, `speech`, `video`. */
export const ofKind = (models: readonly Model[], kind: string): readonly Model[] =>
  models.filter((model) => model.kind === kind);
