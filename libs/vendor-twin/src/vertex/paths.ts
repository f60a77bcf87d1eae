/** A project's location; keys in express mode leave both out. */
export const ROOT = '^/v1(?:beta1)?(?:/projects/(?<project>[^/]+)/locations/(?<location>[^/]+))?';

/** `…/publishers/<publisher>/models/<model>:<method>`; `model` is a pattern of those that are meant. */
export function methodOf(publisher: string, method: string, model = '[^/:]+'): RegExp {
  return new RegExp(`${ROOT}/publishers/${publisher}/models/(?<model>${model}):${method}$`);
}
