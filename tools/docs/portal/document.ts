/** The bundled document, read as the portal needs it. */

export interface Schema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly description?: string;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly items?: Schema;
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly format?: string;
  readonly pattern?: string;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
  readonly allOf?: readonly Schema[];
  readonly additionalProperties?: boolean | Schema;
}
export interface Parameter {
  readonly $ref?: string;
  readonly name: string;
  readonly in: 'path' | 'query' | 'header';
  readonly description?: string;
  readonly required?: boolean;
  readonly schema?: Schema;
  readonly example?: unknown;
}
export interface Example {
  readonly $ref?: string;
  readonly summary?: string;
  readonly description?: string;
  readonly value?: unknown;
  readonly 'x-request'?: ExampleRequest;
}
export interface ExampleRequest {
  readonly path?: Readonly<Record<string, unknown>>;
  readonly query?: Readonly<Record<string, unknown>>;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: Readonly<Record<string, unknown>>;
  readonly url?: string;
}
export interface Media {
  readonly schema?: Schema;
  readonly example?: unknown;
  readonly examples?: Readonly<Record<string, Example>>;
}
export interface Reply {
  readonly $ref?: string;
  readonly description?: string;
  readonly headers?: Readonly<
    Record<string, { readonly $ref?: string; readonly description?: string; readonly schema?: Schema }>
  >;
  readonly content?: Readonly<Record<string, Media>>;
}
export interface OperationObject {
  readonly operationId: string;
  readonly tags: readonly string[];
  readonly summary: string;
  readonly description?: string;
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: { readonly required?: boolean; readonly content: Readonly<Record<string, Media>> };
  readonly responses: Readonly<Record<string, Reply>>;
  /** What the gateway sends because of it: by name, by the place of the address. */
  readonly callbacks?: Readonly<Record<string, ApiDocument['paths']>>;
  readonly security?: readonly Readonly<Record<string, readonly string[]>>[];
}
export interface Tag {
  readonly name: string;
  readonly 'x-displayName'?: string;
  readonly description?: string;
}
export interface ApiDocument {
  readonly info: {
    readonly title: string;
    readonly version: string;
    readonly summary?: string;
    readonly description?: string;
  };
  readonly tags: readonly Tag[];
  readonly 'x-tagGroups'?: readonly { readonly name: string; readonly tags: readonly string[] }[];
  readonly paths: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
  readonly components: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
}

/** One operation with what its path adds. */
export interface Operation {
  readonly id: string;
  readonly method: string;
  readonly path: string;
  readonly tag: string;
  readonly object: OperationObject;
  readonly parameters: readonly Parameter[];
  /** Sent by the gateway rather than to it. */
  readonly webhook: boolean;
}

const METHODS = ['get', 'post', 'put', 'patch', 'delete'];

/** All operations, in the order of the document, callbacks last. */
export function operationsOf(document: ApiDocument): readonly Operation[] {
  const from = (paths: ApiDocument['paths'], webhook: boolean): Operation[] =>
    Object.entries(paths).flatMap(([path, item]) =>
      Object.keys(item)
        .filter((key) => METHODS.includes(key))
        .flatMap((method): Operation[] => {
          const object = item[method] as OperationObject | undefined;
          if (object === undefined) return [];
          const shared = (item['parameters'] ?? []) as readonly Parameter[];
          const parameters = [...shared, ...(object.parameters ?? [])].map((each) => resolve(document, each));
          return [{ id: object.operationId, method, path, tag: object.tags[0] ?? '', object, parameters, webhook }];
        }),
    );
  const called = from(document.paths, false);
  const sent = called.flatMap(({ object }) => Object.values(object.callbacks ?? {}));
  return [...called, ...sent.flatMap((paths) => from(paths, true))];
}

/** What a `$ref` stands for; the thing itself when it is none. */
export function resolve<T extends { readonly $ref?: string }>(document: ApiDocument, thing: T): T {
  if (thing.$ref === undefined) return thing;
  const found = thing.$ref
    .replace(/^#\//, '')
    .split('/')
    .map((part) => part.replace(/~1/g, '/').replace(/~0/g, '~'))
    .reduce<unknown>((at, part) => (at as Record<string, unknown> | undefined)?.[part], document);
  if (found === undefined) throw new Error(`the document has no ${thing.$ref}`);
  return resolve(document, found as T);
}

/** `#/components/schemas/VideoTask` → `VideoTask` */
export function refName(ref: string): string {
  return ref.split('/').at(-1) ?? ref;
}
