import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { components } from '@model-gateway/contracts';
import { readBill } from '@model-gateway/contracts/bills';
import { exportRows } from './export-rows.ts';
import { ModelNames, plainModel } from './model-names.ts';

type Vendor = components['schemas']['BillVendor'];

let folder: string;
beforeAll(() => void (folder = mkdtempSync(join(tmpdir(), 'bills-'))));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const read = (vendor: Vendor, text: string | Uint8Array, period = {}) => {
  const file = join(folder, 'export');
  writeFileSync(file, text);
  return readBill(vendor, exportRows(file), period);
};
const usage = (day: string, item: string, project: string, amount: string) => ({
  day,
  item,
  project,
  kind: 'usage',
  amount,
});

it.each([
  ['of commas', ','],
  ['of quotes', '"'],
])('a row %s that never ends is refused', async (_, char) => {
  await expect(read('openai', `a,b\n${char.repeat(5 * 1024 * 1024)}`)).rejects.toThrow('longer than 4 MB');
});

const OPENAI_PAGE = {
  object: 'page',
  data: [
    {
      ...{ object: 'bucket', start_time: 1790812800, end_time: 1790899200 },
      results: [
        {
          object: 'organization.costs.result',
          amount: { value: 0.06, currency: 'usd' },
          line_item: 'gpt-5.2-2025-12-11, input',
          project_id: 'proj_a',
        },
        {
          object: 'organization.costs.result',
          amount: { value: '1.5e-7', currency: 'usd' },
          line_item: 'gpt-5.2-2025-12-11, output',
          project_id: 'proj_a',
        },
      ],
    },
  ],
  has_more: false,
  next_page: null,
};

describe('exports', () => {
  it.each<{ name: string; vendor: Vendor; text: string; lines: unknown[] }>([
    {
      name: 'OpenAI, the API',
      vendor: 'openai',
      text: JSON.stringify(OPENAI_PAGE, null, 2),
      lines: [
        usage('2026-10-01', 'gpt-5.2-2025-12-11, input', 'proj_a', '0.06'),
        usage('2026-10-01', 'gpt-5.2-2025-12-11, output', 'proj_a', '0.00000015'),
      ],
    },
    {
      name: 'OpenAI, CSV',
      vendor: 'openai',
      text: 'start_time,start_time_iso,amount_value,amount_currency,line_item,project_id\r\n1790812800,2026-10-01T00:00:00+00:00,0.25,usd,"gpt-5.2-2025-12-11, input",proj_a\r\n1790812800,2026-10-01T00:00:00+00:00,0.25,usd,"gpt-5.2-2025-12-11, input",proj_a\r\n',
      lines: [usage('2026-10-01', 'gpt-5.2-2025-12-11, input', 'proj_a', '0.5')],
    },
    {
      name: 'Anthropic, the API, in cents',
      vendor: 'anthropic',
      text: JSON.stringify({
        data: [
          {
            starting_at: '2026-10-01T00:00:00Z',
            ending_at: '2026-10-02T00:00:00Z',
            results: [
              {
                amount: '123.45',
                currency: 'USD',
                cost_type: 'tokens',
                description: 'Claude Sonnet 4.5 Usage - Input Tokens',
                model: 'claude-sonnet-4-5-20250929',
                workspace_id: null,
              },
            ],
          },
        ],
        has_more: false,
      }),
      lines: [usage('2026-10-01', 'Claude Sonnet 4.5 Usage - Input Tokens claude-sonnet-4-5-20250929', '', '1.2345')],
    },
    {
      name: 'Anthropic, CSV, in dollars',
      vendor: 'anthropic',
      text: 'usage_date_utc,model,workspace,usage_type,token_type,cost_usd\n2026-10-01,Claude Sonnet 4.5,Default,standard,input_no_cache,1.25\n',
      lines: [usage('2026-10-01', 'Claude Sonnet 4.5 standard input_no_cache', 'Default', '1.25')],
    },
    {
      name: 'AWS, CUR 2.0, with other services and tax',
      vendor: 'aws',
      text: 'line_item_usage_start_date,line_item_unblended_cost,line_item_usage_type,line_item_product_code,line_item_line_item_type,line_item_currency_code,line_item_usage_account_id,product_product_name\n2026-10-01 03:00:00.000,0.5,USE1-NovaPro-input-tokens,AmazonBedrock,Usage,USD,123,Amazon Bedrock\n2026-10-01 04:00:00.000,0.25,USE1-NovaPro-input-tokens,AmazonBedrock,Usage,USD,123,Amazon Bedrock\n2026-10-01 04:00:00.000,9,BoxUsage,AmazonEC2,Usage,USD,123,Amazon Elastic Compute Cloud\n2026-10-31 00:00:00.000,0.1,,AmazonBedrock,Tax,USD,123,Amazon Bedrock\n',
      lines: [
        usage('2026-10-01', 'Amazon Bedrock USE1-NovaPro-input-tokens', '123', '0.75'),
        { day: '2026-10-31', item: 'Amazon Bedrock', project: '123', kind: 'tax', amount: '0.1' },
      ],
    },
    {
      name: 'AWS, the older names of columns',
      vendor: 'aws',
      text: 'lineItem/UsageStartDate,lineItem/UnblendedCost,lineItem/UsageType,lineItem/ProductCode,lineItem/LineItemType,product/ProductName\n2026-10-01T00:00:00Z,0.5,USW2-MP:USW2_InputTokenCount-Units,abc123,Usage,Claude Sonnet 4.5 (Amazon Bedrock Edition)\n',
      lines: [
        usage('2026-10-01', 'Claude Sonnet 4.5 (Amazon Bedrock Edition) USW2-MP:USW2_InputTokenCount-Units', '', '0.5'),
      ],
    },
    {
      name: 'Google, BigQuery as lines of JSON, with credits',
      vendor: 'google',
      text: `${JSON.stringify({ service: { description: 'Vertex AI' }, sku: { description: 'Gemini 2.5 Flash Text Input - Predictions' }, usage_start_time: '2026-10-01 07:00:00 UTC', project: { id: 'p' }, cost: 0.75, currency: 'USD', cost_type: 'regular', credits: [{ name: 'free', amount: -0.25 }] })}\n${JSON.stringify({ service: { description: 'Compute Engine' }, sku: { description: 'N1' }, usage_start_time: '2026-10-01 07:00:00 UTC', cost: 3, currency: 'USD' })}\n`,
      lines: [
        usage('2026-10-01', 'Gemini 2.5 Flash Text Input - Predictions', 'p', '0.75'),
        { day: '2026-10-01', item: 'credits', project: 'p', kind: 'credit', amount: '-0.25' },
      ],
    },
    {
      name: 'FOCUS',
      vendor: 'aws',
      text: 'ChargePeriodStart,BilledCost,BillingCurrency,ChargeCategory,ChargeDescription,ServiceName,SubAccountId\n2026-10-01T00:00:00Z,0.5,USD,Usage,Nova Pro input tokens,Amazon Bedrock,123\n2026-10-01T00:00:00Z,-0.1,USD,Credit,Promotion,Amazon Bedrock,123\n',
      lines: [
        usage('2026-10-01', 'Nova Pro input tokens', '123', '0.5'),
        { day: '2026-10-01', item: 'Promotion', project: '123', kind: 'credit', amount: '-0.1' },
      ],
    },
  ])('$name', async ({ vendor, text, lines }) => {
    expect((await read(vendor, text)).lines).toEqual(lines);
    expect((await read(vendor, gzipSync(text))).lines).toEqual(lines);
  });

  it('projects are one where nobody tells them apart', async () => {
    const text = 'start_time,amount_value,line_item,project_id\n1790812800,1,x,a\n1790812800,2,x,b\n';
    expect((await read('openai', text)).lines).toHaveLength(2);
    expect((await read('openai', text, { byProject: false })).lines).toEqual([usage('2026-10-01', 'x', '', '3')]);
  });

  it('other services are counted, days outside are left out', async () => {
    const text =
      'line_item_usage_start_date,line_item_unblended_cost,line_item_usage_type,line_item_product_code\n2026-10-01,1,a,AmazonS3\n2026-10-01,1,NovaPro,AmazonBedrock\n2026-10-05,1,NovaPro,AmazonBedrock\n';
    const found = await read('aws', text, { from: '2026-10-02', to: '2026-10-06' });
    expect([found.otherServices, found.lines.map(({ day }) => day)]).toEqual([1, ['2026-10-05']]);
  });

  it.each([
    { name: 'another vendor’s columns', text: 'a,b\n1,2\n', says: 'its columns are a, b' },
    {
      name: 'another currency',
      text: 'start_time,amount_value,amount_currency,line_item\n1790812800,1,eur,x\n',
      says: 'EUR',
    },
    { name: 'no amount', text: 'start_time,amount_value,line_item\n1790812800,many,x\n', says: 'is no amount' },
    { name: 'no day', text: 'start_time,amount_value,line_item\nyesterday,1,x\n', says: 'is no day' },
    { name: 'broken JSON', text: '{"data": [', says: 'is none' },
  ])('$name is told', async ({ text, says }) => {
    await expect(read('openai', text)).rejects.toThrow(says);
  });

  it('quotes, line breaks in cells and a mark of UTF-8 are read, wherever the pieces are cut', async () => {
    const item = 'a "quoted",\nlong item';
    const rows = Array.from({ length: 3_000 }, () => `1790812800,0.001,"${item.replaceAll('"', '""')}"`).join('\r\n');
    const { lines } = await read('openai', `\uFEFFstart_time,amount_value,line_item\r\n${rows}`);
    expect(lines).toEqual([usage('2026-10-01', item, '', '3')]);
  });
});

describe('names', () => {
  const models = ['gpt-5', 'gpt-5-mini', 'gpt-5.2', 'us.anthropic.claude-sonnet-4-5-20250929-v1:0', 'amazon.nova-pro-v1:0', 'gemini-2.5-flash', 'o4-mini-2025-04-16'].map((model) => ({ code: `our ${model}`, offers: [{ model, account: { id: 1 } }] })); // prettier-ignore
  const names = new ModelNames(models as never, [{ id: 1 }], { 'Code interpreter': 'our gpt-5' });
  it.each([
    ['gpt-5.2-2025-12-11, input', 'gpt-5-2'],
    ['gpt-5-mini-2025-08-07, cached input', 'gpt-5-mini'],
    ['gpt-5-2025-08-07, output', 'gpt-5'],
    ['o4-mini-2025-04-16, batch output', 'o4-mini'],
    ['Claude Sonnet 4.5 Usage - Input Tokens claude-sonnet-4-5-20250929', 'claude-sonnet-4-5'],
    ['gpt-5, input gpt-5-mini', undefined],
    ['claude-sonnet-4-5-20250929 input tokens', 'claude-sonnet-4-5'],
    ['Claude Sonnet 4.5 (Amazon Bedrock Edition) USW2-MP:USW2_InputTokenCount-Units', 'claude-sonnet-4-5'],
    ['Amazon Bedrock USE1-NovaPro-input-tokens', 'nova-pro'],
    ['Gemini 2.5 Flash Text Input - Predictions', 'gemini-2-5-flash'],
    ['Gemini 2.5 Flash Lite Text Input - Predictions', undefined],
    ['gpt-5-nano-2025-08-07, input', undefined],
    ['gpt-5.5, input', undefined],
    ['gpt-5-pro, input', undefined],
    ['ft:gpt-5-2025-08-07:acme, input', undefined],
    ['web search tool calls', undefined],
    ['Code interpreter', 'gpt-5'],
    ['', undefined],
  ])('%s', (item, model) => expect(names.ofItem(item)).toBe(model));

  it('codes are what their vendor calls them; others are themselves', () => {
    expect([names.ofCode('our gpt-5.2'), names.ofCode('gone-model-20250101')]).toEqual(['gpt-5-2', 'gone-model']);
    expect(plainModel('publishers/google/models/gemini-2.5-flash@20250617')).toBe('gemini-2-5-flash');
  });
});
