/** What rows of cost exports say: day, item and amount, by the columns of each vendor and of FOCUS (docs/guides/bills.md). */
import { GatewayError } from '../errors.ts';
import type { components } from '../generated/api.d.ts';
import { isJsonObject, type Json } from '../json.ts';
import { decimalOf, picoOf } from './decimal.ts';
import type { ExportRow } from './export-rows.ts';

type Schemas = components['schemas'];
type BillLine = Schemas['VendorBillLine'];
type Kind = BillLine['kind'];
type Vendor = Schemas['BillVendor'];

/** As many as the operation takes: a body has at most 200,000 values. */
const MOST_LINES = 30_000;
const LONGEST_ITEM = 300;

/** Where a format has what: the first column that is there counts. */
interface Columns {
  readonly day: readonly string[];
  readonly amount: readonly string[];
  /** Joined with a space. */
  readonly item: readonly string[];
  readonly currency: readonly string[];
  readonly project: readonly string[];
  /** Decides the kind of a row. */
  readonly kind: readonly string[];
  /** Powers of ten that the amount is multiplied by: -2 for cents. */
  readonly scale?: number;
  /** Of a whole cloud's bill, rows of these services count. */
  readonly service?: { readonly columns: readonly string[]; readonly isOurs: RegExp };
}

const BEDROCK = /bedrock/i;
const GOOGLE_AI = /vertex ai|gemini|generative language|cloud ai/i;

const FORMATS: readonly { readonly vendors: readonly Vendor[]; readonly columns: Columns }[] = [
  {
    vendors: ['openai'],
    columns: {
      day: ['start_time_iso', 'start_time', 'date', 'usage_date_utc'],
      amount: ['amount_value', 'amount', 'cost_usd', 'cost'],
      item: ['line_item'],
      currency: ['amount_currency', 'currency'],
      project: ['project_id', 'project_name'],
      kind: [],
    },
  },
  {
    vendors: ['anthropic'],
    columns: {
      day: ['usage_date_utc', 'starting_at', 'date'],
      // The CSV of the console has dollars.
      amount: ['cost_usd'],
      item: ['model', 'usage_type', 'token_type', 'cost_type'],
      currency: ['currency'],
      project: ['workspace_id', 'workspace'],
      kind: [],
    },
  },
  {
    vendors: ['anthropic'],
    columns: {
      day: ['starting_at'],
      amount: ['amount'],
      item: ['description', 'model'],
      currency: ['currency'],
      project: ['workspace_id'],
      kind: [],
      scale: -2,
    },
  },
  {
    vendors: ['aws'],
    columns: {
      day: ['line_item_usage_start_date', 'lineItem/UsageStartDate'],
      amount: ['line_item_unblended_cost', 'lineItem/UnblendedCost'],
      item: ['product_product_name', 'product/ProductName', 'line_item_usage_type', 'lineItem/UsageType'],
      currency: ['line_item_currency_code', 'lineItem/CurrencyCode'],
      project: ['line_item_usage_account_id', 'lineItem/UsageAccountId'],
      kind: ['line_item_line_item_type', 'lineItem/LineItemType'],
      service: {
        columns: [
          'line_item_product_code',
          'lineItem/ProductCode',
          'product_product_name',
          'product/ProductName',
          'product',
        ],
        isOurs: BEDROCK,
      },
    },
  },
  {
    vendors: ['google'],
    columns: {
      day: ['usage_start_time'],
      amount: ['cost'],
      item: ['sku.description', 'sku_description', 'sku'],
      currency: ['currency'],
      project: ['project.id', 'project_id', 'project'],
      kind: ['cost_type'],
      service: { columns: ['service.description', 'service_description', 'service'], isOurs: GOOGLE_AI },
    },
  },
  {
    vendors: ['aws', 'google', 'openai', 'anthropic'],
    columns: {
      day: ['ChargePeriodStart'],
      amount: ['BilledCost'],
      item: ['x_SkuDescription', 'ChargeDescription', 'SkuMeter', 'SkuId'],
      currency: ['BillingCurrency'],
      project: ['SubAccountId'],
      kind: ['ChargeCategory'],
      service: {
        columns: ['ServiceName', 'x_ServiceCode', 'ChargeDescription'],
        isOurs: /bedrock|vertex ai|gemini|generative language|openai|anthropic|claude/i,
      },
    },
  },
];

/** What each word of a vendor makes of a row; others are usage. */
const KINDS: readonly (readonly [words: RegExp, kind: Kind])[] = [
  [/^tax$/i, 'tax'],
  [/credit|refund|discount/i, 'credit'],
  [/^(?:fee|rifee|purchase|adjustment|rounding_error|savingsplan.*)$/i, 'other'],
];

export interface BillFilter {
  /** Days, both included. */
  readonly from?: string | undefined;
  readonly to?: string | undefined;
  /** False: projects are one. */
  readonly byProject?: boolean;
}

export interface BillExport {
  readonly lines: readonly BillLine[];
  /** Rows of other services of a cloud. */
  readonly otherServices: number;
}

/** Adds up rows by day, item and project: as many lines as there are of these, however many rows. */
export async function readBill(
  vendor: Vendor,
  rows: AsyncIterable<ExportRow>,
  { from = '', to = '9999', byProject = true }: BillFilter = {},
): Promise<BillExport> {
  const sums = new Map<string, { readonly line: Omit<BillLine, 'amount'>; amount: bigint }>();
  const add = (read: Omit<BillLine, 'amount'>, amount: bigint): void => {
    if (read.day < from || read.day > to) return;
    const line = byProject ? read : { ...read, project: '' };
    const key = JSON.stringify([line.day, line.item, line.project, line.kind]);
    const found = sums.get(key);
    if (found !== undefined) found.amount += amount;
    else if (sums.size >= MOST_LINES)
      throw new GatewayError('invalid_request', `The file has more than ${MOST_LINES} lines of day, item and project: give its first and last day, or export fewer days.`); // prettier-ignore
    else {
      // Texts of their own: a part of what was read keeps all of it in memory.
      const [day, item, project] = JSON.parse(key) as readonly [string, string, string];
      sums.set(key, { line: { ...line, day, item, project }, amount });
    }
  };
  let columns: Columns | undefined;
  let otherServices = 0;
  for await (const row of rows) {
    columns ??= columnsFor(vendor, row);
    const { service } = columns;
    if (service !== undefined && !service.columns.some((name) => service.isOurs.test(textAt(row, name)))) {
      otherServices++;
      continue;
    }
    addRow(columns, row, add);
  }
  return {
    lines: [...sums.values()].map(({ line, amount }) => ({ ...line, amount: decimalOf(amount) })),
    otherServices,
  };
}

function addRow(columns: Columns, row: ExportRow, add: (line: Omit<BillLine, 'amount'>, amount: bigint) => void): void {
  const amount = amountAt(row, columns);
  const currency = first(row, columns.currency).toUpperCase();
  if (currency !== '' && currency !== 'USD') throw new GatewayError('invalid_request', `The file is in ${currency}: only exports in US dollars can be compared.`); // prettier-ignore
  const line = {
    day: dayOf(first(row, columns.day)),
    item: [...new Set(columns.item.map((name) => textAt(row, name)))].filter((text) => text !== '').join(' ').slice(0, LONGEST_ITEM), // prettier-ignore
    project: first(row, columns.project).slice(0, LONGEST_ITEM),
  };
  const word = first(row, columns.kind);
  const kind = KINDS.find(([words]) => words.test(word))?.[1] ?? 'usage';
  if (amount !== 0n) add({ ...line, kind }, amount);
  // Google's credits are parts of the row that they belong to.
  const { credits } = row;
  if (!Array.isArray(credits)) return;
  for (const credit of credits.filter(isJsonObject)) {
    const given = picoOf(scalar(credit['amount']));
    if (given !== undefined && given !== 0n) add({ ...line, item: 'credits', kind: 'credit' }, given);
  }
}

/** The format whose columns the file has. Throws `invalid_request` when there is none. */
function columnsFor(vendor: Vendor, row: ExportRow): Columns {
  const has = (names: readonly string[]): boolean => names.some((name) => valueAt(row, name) !== undefined);
  const found = FORMATS.find(({ vendors, columns }) => vendors.includes(vendor) && has(columns.day) && has(columns.amount) && has(columns.item)); // prettier-ignore
  if (found !== undefined) return found.columns;
  const names = Object.keys(row).slice(0, 12).join(', ');
  throw new GatewayError(
    'invalid_request',
    `This is no cost export of ${vendor} that is known; its columns are ${names === '' ? 'none' : names}.`,
  );
}

function amountAt(row: ExportRow, { amount: names, scale = 0 }: Columns): bigint {
  const name = names.find((each) => valueAt(row, each) !== undefined) ?? '';
  const value = valueAt(row, name);
  const text = scalar(isJsonObject(value) ? value['value'] : value);
  if (text === '') return 0n;
  const pico = picoOf(text, scale);
  if (pico === undefined)
    throw new GatewayError('invalid_request', `'${text.slice(0, 40)}' in the column ${name} is no amount.`);
  return pico;
}

/** `2026-11-01…`, or seconds since 1970: the UTC day. */
function dayOf(text: string): string {
  if (/^\d{4}-\d{2}-\d{2}/.test(text)) {
    const at = Date.parse(/^\d{4}-\d{2}-\d{2}$/.test(text) ? `${text}T00:00:00Z` : zoned(text));
    if (!Number.isNaN(at)) return new Date(at).toISOString().slice(0, 10);
  }
  if (/^\d{9,10}(?:\.0)?$/.test(text)) return new Date(Number(text) * 1000).toISOString().slice(0, 10);
  throw new GatewayError('invalid_request', `'${text.slice(0, 40)}' is no day.`);
}

/** `2026-11-01 00:00:00 UTC` and times without a zone are UTC. */
function zoned(text: string): string {
  const iso = text.replace(/ UTC$/, 'Z').replace(' ', 'T');
  return /(?:Z|[+-]\d{2}:?\d{2})$/.test(iso) ? iso : `${iso}Z`;
}

function first(row: ExportRow, names: readonly string[]): string {
  return names.map((name) => textAt(row, name)).find((text) => text !== '') ?? '';
}

function textAt(row: ExportRow, name: string): string {
  const value = valueAt(row, name);
  if (isJsonObject(value)) return scalar(value['currency'] ?? value['description'] ?? value['id']);
  return scalar(value);
}

/** A column, or a member of an object: `sku.description`. */
function valueAt(row: ExportRow, name: string): Json | undefined {
  const own = row[name];
  if (own !== undefined && own !== null) return own;
  const at = name.indexOf('.');
  const outer = at < 0 ? undefined : row[name.slice(0, at)];
  return isJsonObject(outer) ? (outer[name.slice(at + 1)] ?? undefined) : undefined;
}

function scalar(value: Json | undefined): string {
  return typeof value === 'string' ? value : typeof value === 'number' ? String(value) : '';
}
