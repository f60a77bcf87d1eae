/** The models that the session's key may use. */
import { useQuery } from '@tanstack/react-query';
import { api, ask, type Schemas } from '../api/api.ts';

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

/** Of a kind: `chat`, `image`, `speech`, `video`. */
export const ofKind = (models: readonly Model[], kind: string): readonly Model[] =>
  models.filter((model) => model.kind === kind);
