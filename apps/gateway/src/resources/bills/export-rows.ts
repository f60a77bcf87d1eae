/** Rows of a vendor's cost export on this machine: a file, plain or gzip, a piece at a time. */
import { open } from 'node:fs/promises';
import { createGunzip } from 'node:zlib';
import type { components } from '@model-gateway/contracts';
import { readBill, rowsOf, type BillExport, type BillFilter, type ExportRow } from '@model-gateway/contracts/bills';
import { CommandFault } from '../../commands/command-fault.ts';

const GZIP = [0x1f, 0x8b];

/** Adds up a file. Throws `invalid_request` for what is no export of the vendor. */
export function readBillFile(
  vendor: components['schemas']['BillVendor'],
  file: string,
  filter: BillFilter,
): Promise<BillExport> {
  return readBill(vendor, exportRows(file), filter);
}

/** Reads the rows of a file. Throws `invalid_request` for what is neither CSV nor JSON. */
export function exportRows(file: string): AsyncGenerator<ExportRow> {
  return rowsOf(textOf(file));
}

async function* textOf(file: string): AsyncGenerator<string, void> {
  const handle = await open(file).catch((error: unknown) => {
    throw new CommandFault(`The file cannot be read: ${(error as NodeJS.ErrnoException).code ?? 'unknown'}.`);
  });
  try {
    const magic = Buffer.alloc(2);
    await handle.read(magic, 0, 2, 0);
    const bytes = handle.createReadStream({ start: 0, autoClose: false });
    const isPacked = GZIP.every((byte, at) => magic[at] === byte);
    const plain = (isPacked ? bytes.compose(createGunzip()) : bytes) as AsyncIterable<Buffer>;
    const decoder = new TextDecoder();
    for await (const chunk of plain) yield decoder.decode(chunk, { stream: true });
    yield decoder.decode();
  } finally {
    await handle.close();
  }
}
