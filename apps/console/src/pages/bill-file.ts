/** A vendor's cost export, read and added up in the browser: only its sums go to the gateway. */
import { dollarsIn, picoOf, readBill, rowsOf, type BillExport } from '@model-gateway/contracts/bills';
import type { Schemas } from '../api/api.ts';
import { FaultError, faultOf } from '../api/fault.ts';
import { t, type Text } from '../text/text.ts';

const GZIP = [0x1f, 0x8b];
/** Browsers unpack one member and take the next one for junk, without saying where it begins. */
const CUT_OFF: Text =
  'The file is no gzip, is cut off, or is several gzip files in one, which a browser cannot read. Unpack it and choose the unpacked file.';

export interface BillFile {
  readonly file: File;
  readonly vendor: Schemas['BillVendor'];
  /** Days, both included; empty for those of the file. */
  readonly from: string;
  readonly to: string;
  /** Whether its projects can be told apart. */
  readonly byProject: boolean;
}

export interface Reading {
  /** Told after each piece how much of the file was read, from 0 to 1. */
  readonly onShare: (share: number) => void;
  readonly signal: AbortSignal;
}

/** Adds up the rows of a file, however many. Rejects with what is wrong with it, at `file`. */
export async function readBillFile(given: BillFile, reading: Reading): Promise<BillExport> {
  try {
    return await read(given, reading);
  } catch (error) {
    reading.signal.throwIfAborted();
    // Projects make more lines, and are not what was asked for.
    if (given.byProject) return readBillFile({ ...given, byProject: false }, reading);
    const { message } = faultOf(error);
    throw new FaultError({ message, code: 'invalid_request', status: 0, requestId: undefined, param: 'file' });
  }
}

async function read({ file, vendor, from, to, byProject }: BillFile, reading: Reading): Promise<BillExport> {
  const days = { ...(from !== '' && { from }), ...(to !== '' && { to }) };
  const found = await readBill(vendor, rowsOf(textOf(file, reading)), { ...days, byProject });
  if (found.lines.length === 0) throw new Error(t('The file has no costs of these days.'));
  return found;
}

/** The text of a file, unpacked where it is gzip, a piece at a time. */
async function* textOf(file: File, { onShare, signal }: Reading): AsyncGenerator<string, void> {
  const magic = new Uint8Array(await file.slice(0, GZIP.length).arrayBuffer());
  let count = 0;
  const counted = file.stream().pipeThrough(
    new TransformStream<Uint8Array<ArrayBuffer>, Uint8Array<ArrayBuffer>>({
      transform(piece, controller) {
        count += piece.length;
        onShare(count / file.size);
        controller.enqueue(piece);
      },
    }),
  );
  const isPacked = GZIP.every((byte, at) => magic[at] === byte);
  const plain = isPacked ? counted.pipeThrough(new DecompressionStream('gzip')) : counted;
  const reader = plain.pipeThrough(new TextDecoderStream()).getReader();
  signal.addEventListener('abort', () => void reader.cancel().catch(() => undefined), { once: true });
  try {
    for (;;) {
      const { done, value } = await reader.read().catch((error: unknown) => {
        throw isPacked ? new Error(t(CUT_OFF), { cause: error }) : error;
      });
      signal.throwIfAborted();
      if (done) return;
      yield value;
    }
  } finally {
    await reader.cancel().catch(() => undefined);
  }
}

export interface BillProject {
  /** Empty for lines without a project. */
  readonly project: string;
  readonly usd: number;
}

/** The vendor's projects that the lines name, the largest first; none where no line names one. */
export function projectsOf({ lines }: BillExport): readonly BillProject[] {
  const usage = Map.groupBy(
    lines.filter(({ kind }) => kind === 'usage'),
    ({ project }) => project,
  );
  if ([...usage.keys()].every((project) => project === '')) return [];
  return [...usage]
    .map(([project, found]) => ({
      project,
      usd: dollarsIn(found.reduce((sum, { amount }) => sum + (picoOf(amount) ?? 0n), 0n)),
    }))
    .sort((one, other) => Math.abs(other.usd) - Math.abs(one.usd) || one.project.localeCompare(other.project));
}
