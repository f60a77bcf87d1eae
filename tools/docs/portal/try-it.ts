/** What the form of an operation needs; `try.js` builds it when it is opened. */
import { resolve, type ApiDocument, type Example, type Operation } from './document.ts';
import { choicesOf, formFields, type FormField } from './form-fields.ts';
import { escape, jsonForScript } from './html.ts';

export interface NamedExample {
  readonly name: string;
  readonly example: Example;
  readonly form: boolean;
}

/** Operations that begin something which ends later; it is read at their own address, by its id. */
const WAITS = ['createVideoTask', 'createVideo', 'createSubject'];

export function tryIt(operation: Operation, examples: readonly NamedExample[], document: ApiDocument): string {
  const { id, method, path, tag, parameters, object } = operation;
  const form = Object.entries(object.requestBody?.content ?? {}).find(([type]) => type === 'multipart/form-data')?.[1];
  const fields = form === undefined ? undefined : resolve(document, form.schema ?? {}).properties;
  const json = object.requestBody?.content['application/json'];
  const data = {
    method: method.toUpperCase(),
    path,
    key: tag === 'admin' ? 'admin' : object.security?.length === 0 ? 'none' : 'key',
    ...(WAITS.includes(id) && { waits: true }),
    parameters: parameters
      .filter(({ name }) => name !== 'Idempotency-Key')
      .map(({ name, in: place, required = false, example, schema = {} }) => ({
        name,
        in: place,
        required,
        options: choicesOf(document, schema),
        example: required ? (example ?? '') : '',
      })),
    ...(json === undefined ? { bodies: [] } : bodiesOf(json.schema ?? {}, examples, document)),
    ...(fields !== undefined && {
      form: Object.entries(fields).map(([name, field]) => ({
        name,
        file: JSON.stringify(field).includes('"binary"'),
        options: choicesOf(document, field),
        value: formValue(name, examples),
      })),
    }),
  };
  return `<details class="try"><summary>Try it</summary><div class="try-body" data-try="${escape(id)}"></div><script type="application/json" id="try-${escape(id)}">${jsonForScript(data)}</script></details>`;
}

interface Bodies {
  readonly bodies: readonly { readonly title: string; readonly value: unknown; readonly fields: number }[];
  /** Each set of fields once: examples of one shape share it. */
  readonly fields: readonly (readonly FormField[])[];
}

function bodiesOf(
  schema: NonNullable<Parameters<typeof formFields>[1]>,
  examples: readonly NamedExample[],
  document: ApiDocument,
): Bodies {
  const sets = new Map<string, number>();
  const bodies = examples
    .filter((each) => !each.form)
    .map(({ name, example }) => {
      const text = JSON.stringify(formFields(document, schema, example.value));
      const fields = sets.get(text) ?? sets.size;
      sets.set(text, fields);
      return {
        title: example.summary ?? name,
        value: example.value,
        path: literalsOf(example['x-request']?.path),
        query: literalsOf(example['x-request']?.query),
        fields,
      };
    });
  return { bodies, fields: [...sets.keys()].map((text) => JSON.parse(text) as readonly FormField[]) };
}

function formValue(name: string, examples: readonly NamedExample[]): string {
  const value = (examples.find(({ form }) => form)?.example.value as Record<string, unknown> | undefined)?.[name];
  return typeof value === 'string' && !value.startsWith('data:') ? value : '';
}

function literalsOf(values: Readonly<Record<string, unknown>> = {}): Record<string, unknown> {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => !String(value).startsWith('$')));
}
