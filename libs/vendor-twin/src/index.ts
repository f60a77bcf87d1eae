export { startVendorTwin, type VendorTwin, type VendorTwinOptions } from './twin.ts';
export { TWIN_CREDENTIALS, type TwinCredentials } from './credentials.ts';
export { TWIN_VENDORS, type Operation, type TwinVendor } from './core/vendors.ts';
export type { FaultPlan, TwinFault } from './core/faults.ts';
export type { JobKind, JobState } from './core/jobs.ts';
export type { LedgerAnswer, LedgerJob, LedgerTotals, TwinLedger } from './core/ledger.ts';
export type { RequestLog, TwinRequest } from './core/requests.ts';
export type { TwinSeconds } from './core/stage.ts';
