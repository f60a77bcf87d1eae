/** The reference: one page per tag, one section per operation. */
import {
  resolve,
  type ApiDocument,
  type Example,
  type Media,
  type Operation,
  type Parameter,
  type Reply,
} from './document.ts';
import { escape } from './html.ts';
import { jsonText } from './literal.ts';
import { codeBlock, codeTabs } from './code.ts';
import { inline, markdown } from './markdown.ts';
import { calledBy, samplesOf } from './samples.ts';
import { tryIt, type NamedExample } from './try-it.ts';
import { schemaHtml, typeText, type SchemaContext } from './schema.ts';
import type { ShownField } from './search-index.ts';

export interface ReferenceContext extends SchemaContext {
  /** Runnable examples of operations that take no body, by operation id. */
  readonly requests: ReadonlyMap<string, readonly Example[]>;
}

/** A section: what it is at the left, how it is called at the right. */
export function operationHtml(operation: Operation, context: ReferenceContext): string {
  const { object, id, method, path, webhook } = operation;
  const examples = examplesOf(operation, context);
  const text = object.description === undefined ? '' : markdown(object.description, context.markdown);
  return `<section class="operation" id="${escape(id)}">
<div class="doc">
<h2><a class="self" href="#${escape(id)}" aria-label="Link to this operation"></a>${escape(object.summary)}</h2>
<p class="route"><span class="method ${method}">${method.toUpperCase()}</span> <code>${webhook ? 'callback_url' : pathHtml(path)}</code></p>
${text}
${keyNote(operation)}
${parametersHtml(operation, context)}
${requestHtml(operation, context)}
${repliesHtml(operation, context)}
</div>
<div class="side">
${samplesHtml(operation, examples)}
${webhook ? '' : tryIt(operation, examples, context.document)}
${answersHtml(operation, context)}
</div>
</section>`;
}

/** The fields that its section shows. */
export function fieldsOf(operation: Operation, document: ApiDocument): readonly ShownField[] {
  const fields: ShownField[] = [];
  const context = {
    document,
    markdown: {},
    requests: new Map(),
    onField: (field: ShownField) => void fields.push(field),
  };
  parametersHtml(operation, context);
  requestHtml(operation, context);
  return fields;
}

function pathHtml(path: string): string {
  return escape(path).replace(/\{(\w+)\}/g, '<var>{$1}</var>');
}

function keyNote({ tag, object, webhook }: Operation): string {
  if (webhook) return '';
  if (tag === 'admin') return '<p class="quiet">Takes the admin key.</p>';
  if (object.security?.length === 0) return '<p class="quiet">Takes no key.</p>';
  if (object.security?.some((each) => 'signedLink' in each) === true)
    return '<p class="quiet">Opened by a signed link; where a key is taken, by a key too.</p>';
  return '';
}

function parametersHtml({ id, parameters }: Operation, context: ReferenceContext): string {
  const groups: readonly [Parameter['in'], string][] = [
    ['path', 'In the address'],
    ['query', 'Query'],
    ['header', 'Headers'],
  ];
  for (const { name, in: place, description = '' } of parameters)
    context.onField?.({ id: `${id}.${place}.${name}`, name, text: description });
  return groups
    .map(([place, title]) => {
      const rows = parameters
        .filter((parameter) => parameter.in === place)
        .map(
          (parameter) =>
            `<li class="field" id="${escape(`${id}.${place}.${parameter.name}`)}"><span class="field-name">${escape(parameter.name)}</span> <span class="type">${escape(typeText(parameter.schema ?? {}, context))}</span>${parameter.required === true ? ' <span class="badge required">required</span>' : ''}<div class="about">${inline(parameter.description ?? '', context.markdown)}</div></li>`,
        );
      return rows.length === 0 ? '' : `<h3>${title}</h3><ul class="fields">${rows.join('')}</ul>`;
    })
    .join('');
}

function requestHtml({ id, object, webhook }: Operation, context: ReferenceContext): string {
  return Object.entries(object.requestBody?.content ?? {})
    .map(([type, media], index) => {
      const inner = schemaHtml(media.schema ?? {}, context, index === 0 ? id : undefined);
      return `<h3>${webhook ? 'What is sent' : 'Body'} <span class="type">${escape(type)}</span></h3>${schemaIntro(media, context)}${inner}`;
    })
    .join('');
}

function schemaIntro({ schema = {} }: Media, context: ReferenceContext): string {
  const { description } = resolve(context.document, schema);
  return description === undefined ? '' : `<div class="about">${markdown(description, context.markdown)}</div>`;
}

function repliesHtml({ object }: Operation, context: ReferenceContext): string {
  const all = Object.entries(object.responses).map(
    ([status, reply]) => [status, resolve(context.document, reply)] as const,
  );
  const good = all.filter(([status]) => status.startsWith('2'));
  const bad = all.filter(([status]) => !status.startsWith('2'));
  const goodHtml = good.map(([status, reply]) => {
    const types = Object.entries(reply.content ?? {}).map(
      ([type, media]) => ({ type, media, html: schemaHtml(media.schema ?? {}, context) }) as const,
    );
    const described = types.filter(({ html }) => html !== '');
    const plain = types.filter(({ html }) => html === '').map(({ type }) => type);
    const bodies = described.map(
      ({ type, media, html }) =>
        `<details${described.length === 1 ? ' open' : ''}><summary><code>${escape(type)}</code> <span class="type">${escape(typeText(media.schema ?? {}, context))}</span></summary>${schemaIntro(media, context)}${html}</details>`,
    );
    const files =
      plain.length === 0 ? '' : `<p class="quiet">${plain.map((type) => `<code>${escape(type)}</code>`).join(' ')}</p>`;
    return `<div class="reply"><p><span class="status ok">${status}</span> ${inline(reply.description ?? '', context.markdown)}</p>${files}${bodies.join('')}${headersHtml(reply, context)}</div>`;
  });
  const badHtml = bad.map(
    ([status, reply]) =>
      `<tr><td><span class="status bad">${status}</span></td><td>${inline(reply.description ?? '', context.markdown)}</td></tr>`,
  );
  const refusals =
    bad.length === 0
      ? ''
      : `<details class="refusals"><summary>Refusals</summary><div class="table"><table><tbody>${badHtml.join('')}</tbody></table></div></details>`;
  return `<h3>Answer</h3>${goodHtml.join('')}${refusals}`;
}

function headersHtml({ headers = {} }: Reply, context: ReferenceContext): string {
  const rows = Object.entries(headers).map(([name, header]) => {
    const { description = '' } = resolve(context.document, header);
    return `<li class="field"><span class="field-name">${escape(name)}</span><div class="about">${inline(description.trim(), context.markdown)}</div></li>`;
  });
  return rows.length === 0
    ? ''
    : `<details><summary class="quiet">Headers</summary><ul class="fields">${rows.join('')}</ul></details>`;
}

/** The document's examples with a body, or those requests that need none. */
export function examplesOf(
  operation: Operation,
  { document, requests }: Pick<ReferenceContext, 'document' | 'requests'>,
): readonly NamedExample[] {
  const withBody = Object.entries(operation.object.requestBody?.content ?? {}).flatMap(([type, { examples = {} }]) =>
    Object.entries(examples).map(([name, example]) => ({
      name,
      example: resolve(document, example),
      form: type === 'multipart/form-data',
    })),
  );
  if (withBody.length > 0) return withBody;
  return (requests.get(operation.id) ?? [{}]).map((example) => ({ name: example.summary ?? '', example, form: false }));
}

function samplesHtml(operation: Operation, examples: readonly NamedExample[]): string {
  if (operation.webhook) return '';
  const groups = examples.map(({ example, form, name }) => ({
    title: example.summary ?? name,
    tabs: codeTabs(samplesOf(calledBy(operation, example, form))),
  }));
  const [only] = groups;
  if (groups.length === 1 && only !== undefined) return only.tabs;
  const options = groups.map(({ title }, index) => `<option value="${index}">${escape(title)}</option>`).join('');
  const panels = groups
    .map(({ tabs }, index) => `<div data-example="${index}"${index === 0 ? '' : ' hidden'}>${tabs}</div>`)
    .join('');
  return `<div class="examples"><label class="pick">Example <select data-pick>${options}</select></label>${panels}</div>`;
}

function answersHtml(operation: Operation, context: ReferenceContext): string {
  const source = operation.webhook
    ? Object.entries(operation.object.requestBody?.content ?? {})
    : Object.entries(resolve(context.document, operation.object.responses['200'] ?? {}).content ?? {});
  const answers = source.flatMap(([type, media]) =>
    mediaExamples(media, context).map(({ title, value }) => ({ title: title ?? type, value })),
  );
  if (answers.length === 0) return '';
  const blocks = answers.map(
    ({ title, value }, index) =>
      `<details${index === 0 ? ' open' : ''}><summary>${escape(title)}</summary>${codeBlock({ language: 'json', code: typeof value === 'string' ? value : jsonText(value, { cut: true }) })}</details>`,
  );
  return `<div class="answers"><h3>${operation.webhook ? 'Bodies' : 'Answers'}</h3>${blocks.join('')}</div>`;
}

function mediaExamples(
  { example, examples = {} }: Media,
  { document }: ReferenceContext,
): { title: string | undefined; value: unknown }[] {
  const named = Object.values(examples).map((each) => {
    const { summary, value } = resolve(document, each);
    return { title: summary, value };
  });
  return example === undefined ? named : [{ title: undefined, value: example }, ...named];
}
