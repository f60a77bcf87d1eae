export { startVendorTwin, type VendorTwin, type VendorTwinOptions } from './twin.ts';
export { TWIN_CREDENTIALS, TWIN_VENDORS, type TwinVendor } from './all-vendors.ts';
export type { TwinCredentials } from './core/vendor.ts';
export type { FaultPlan, Operation, TwinFault } from './core/faults.ts';
export type { JobKind, JobState } from './core/jobs.ts';
export type { LedgerAnswer, LedgerJob, LedgerTotals, TwinLedger } from './core/ledger.ts';
export type { RequestLog, TwinRequest } from './core/requests.ts';
export type { TwinSeconds } from './core/stage.ts';
export type { SentWebhook, WebhookOptions } from './core/webhooks.ts';
