/** Kill -9 in the middle of a stream, and what the next process finds charged for it. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'vitest';
import type { JsonObject, Usage } from '@model-gateway/contracts';
import { openStore } from '@model-gateway/store';
import { startGatewayProcess } from '@model-gateway/testing';
import type { VendorTwin } from '@model-gateway/vendor-twin';

const KEY = 'sk-killed-0123456789abcdef';

export interface Asked {
  readonly path: string;
  readonly body: JsonObject;
}
export interface KilledStream {
  readonly twin: VendorTwin;
  readonly vendor: Parameters<VendorTwin['baseUrl']>[0];
  /** Rows of the configuration, whose offers are of the account `vendor`. */
  readonly models: readonly string[];
  /** Whether what has come, as one-byte text, is where the process shall die. */
  readonly isEnough: (text: string) => boolean;
}

/** What was charged, in quota units, and what the twin bills when it has seen that nobody reads any more. */
export async function killStream(
  { path, body }: Asked,
  { twin, vendor, models, isEnough }: KilledStream,
): Promise<{ readonly charged: number; readonly billed: Usage; readonly heard: string }> {
  const folder = mkdtempSync(join(tmpdir(), 'model-gateway-killed-'));
  const url = `sqlite:${folder}/gateway.db`;
  writeFileSync(
    join(folder, 'gateway.yaml'),
    `server: { port: 0 }
database: { url: '${url}' }
twin: { enabled: false }
files: { folder: '${folder}/files' }
security: { allow_private: ['127.0.0.1'] }
keys: [{ name: killed, key: ${KEY} }]
extends: none
accounts: [{ id: 1, name: vendor, vendor: ${vendor}, base_url: '${twin.baseUrl(vendor)}', credentials: { api_key: '${twin.credentials(vendor)['api_key'] ?? ''}' } }]
models:
${models.map((each) => `  - ${each}`).join('\n')}
`,
  );
  const gateway = await startGatewayProcess({ folder, logLevel: 'fatal' });
  try {
    const answers = twin.ledger.answers(vendor).length;
    const reply = await fetch(`${gateway.url}${path}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${KEY}`, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
    let heard = '';
    const reader = reply.body!.getReader();
    while (!isEnough(heard)) {
      const read = await reader.read();
      if (read.done) throw new Error(heard.slice(-500));
      heard += Buffer.from(read.value).toString('latin1');
    }
    // The ledger has what was noted this much ago.
    await new Promise((resolve) => setTimeout(resolve, 200));
    await gateway.kill();
    await reader.cancel().catch(() => undefined);
    for (let round = 0; round < 200 && twin.ledger.answers(vendor).length === answers; round++)
      await new Promise((resolve) => setTimeout(resolve, 10));
    const store = await openStore(url, { beside: true });
    await store.ledger.closeExpiredLeases(Date.now(), { process: 'nobody' });
    const entries = await store.ledger.entries({ kind: 'capture', limit: 100 });
    const differences = await store.ledger.verify();
    await store.close();
    expect(differences).toEqual([]);
    expect(entries.every(({ detail }) => detail['crashSettlement'] === true)).toBe(true);
    return {
      charged: entries.reduce((sum, { charged }) => sum + charged, 0),
      billed: twin.ledger.answers(vendor)[answers]?.billed ?? {},
      heard,
    };
  } finally {
    await gateway.kill();
    rmSync(folder, { recursive: true, force: true });
  }
}
