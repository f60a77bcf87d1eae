/** As much of a cluster's API as helm asks before an install. */
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { stringify } from 'yaml';

export interface Manifest {
  apiVersion: string;
  kind: string;
  metadata: { name: string; labels?: Record<string, string>; annotations?: Record<string, string> };
  // The check of shape is that of Kubernetes' own schemas.
  // oxlint-disable-next-line typescript/no-explicit-any
  [field: string]: any;
}

/** Knows the kinds of some manifests, and one Secret that may be there. */
export class SmallCluster {
  readonly #server: Server;
  secret: Manifest | undefined;

  constructor(kinds: readonly Manifest[]) {
    const versions = Map.groupBy(kinds, ({ apiVersion }) => apiVersion);
    this.#server = createServer((request, response) => {
      const body = this.#answer(request.url?.split('?')[0] ?? '', versions);
      response.writeHead(body === undefined ? 404 : 200, { 'content-type': 'application/json' });
      response.end(JSON.stringify(body ?? { kind: 'Status', status: 'Failure', reason: 'NotFound', code: 404 }));
    });
  }

  /** Listens, and answers with the kubeconfig that leads here. */
  async open(): Promise<string> {
    await new Promise<void>((resolve) => this.#server.listen(0, '127.0.0.1', resolve));
    const server = `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
    return stringify({
      ...{ apiVersion: 'v1', kind: 'Config', 'current-context': 'small' },
      clusters: [{ name: 'small', cluster: { server } }],
      contexts: [{ name: 'small', context: { cluster: 'small' } }],
    });
  }

  async close(): Promise<void> {
    const closed = new Promise<void>((resolve) => this.#server.close(() => resolve()));
    this.#server.closeAllConnections();
    await closed;
  }

  #answer(path: string, versions: ReadonlyMap<string, readonly Manifest[]>): unknown {
    if (path === '/version') return { major: '1', minor: '31', gitVersion: 'v1.31.0' };
    if (path === '/api') return { kind: 'APIVersions', versions: ['v1'] };
    if (path === '/apis') {
      const named = [...versions.keys()].filter((version) => version.includes('/'));
      const groups = named.map((groupVersion) => {
        const [name, version] = groupVersion.split('/');
        return { name, versions: [{ groupVersion, version }], preferredVersion: { groupVersion, version } };
      });
      return { kind: 'APIGroupList', apiVersion: 'v1', groups };
    }
    const kinds = versions.get(path.replace(/^\/apis?\//, ''));
    if (kinds !== undefined) {
      const resources = kinds.map(({ kind }) => ({
        ...{ kind, name: `${kind.toLowerCase()}s`, namespaced: true, verbs: ['get'] },
      }));
      return { kind: 'APIResourceList', groupVersion: kinds[0]?.apiVersion, resources };
    }
    return this.secret !== undefined && path.endsWith(`/secrets/${this.secret.metadata.name}`)
      ? this.secret
      : undefined;
  }
}
