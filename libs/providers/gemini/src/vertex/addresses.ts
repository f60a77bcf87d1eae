/** Where Vertex AI has what (docs/wire/vertex.md#addresses). */
import type { Account } from '@model-gateway/provider-kit';

type Settings = Account['settings'];

/** Where models are that have no region of their own. */
const USUAL_LOCATION = 'global';

/** The host of an account's location: a region, `global`, or one of the two multi-regions. */
export function vertexBaseUrl(settings: Settings): string {
  const location = locationOf(settings);
  if (location === 'global') return 'https://aiplatform.googleapis.com';
  if (location === 'us' || location === 'eu') return `https://aiplatform.${location}.rep.googleapis.com`;
  return `https://${location}-aiplatform.googleapis.com`;
}

/** `/v1/projects/<project>/locations/<location>`; nothing of both where a key in express mode names the project. */
export function vertexRoot(settings: Settings): string {
  const version = settings['api_version'] ?? '';
  const { project: said = '', project_id: ofKeyFile = '' } = settings;
  const project = said === '' ? ofKeyFile : said;
  const place =
    project === ''
      ? ''
      : `/projects/${encodeURIComponent(project)}/locations/${encodeURIComponent(locationOf(settings))}`;
  return `/${version === '' ? 'v1' : version}${place}`;
}

/** A method of a publisher's model: `…/publishers/google/models/<model>:generateContent`. */
export function vertexModel(publisher: string, model: string, method: string, settings: Settings): string {
  return `${vertexRoot(settings)}/publishers/${publisher}/models/${encodeURIComponent(model)}:${method}`;
}

function locationOf(settings: Settings): string {
  const said = settings['location'] ?? '';
  return said === '' ? USUAL_LOCATION : said;
}
