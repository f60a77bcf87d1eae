/** Vendors' cost exports, for the command and for the console: both add up the rows of a file, and send only the sums. */
export { readBill, type BillExport, type BillFilter } from './bill-lines.ts';
export { decimalOf, dollarsIn, picoOf } from './decimal.ts';
export { rowsOf, type ExportRow } from './export-rows.ts';
export { ACCOUNTS_OF_BILL } from './vendors.ts';
