import type { AnswerTables } from './tables/answers.ts';
import type { FileTables } from './tables/files.ts';
import type { MoneyTables } from './tables/money.ts';
import type { OperationTables } from './tables/operation.ts';
import type { RequestTables } from './tables/requests.ts';
import type { TaskTables } from './tables/tasks.ts';

export type * from './tables/answers.ts';
export type * from './tables/files.ts';
export type * from './tables/money.ts';
export type * from './tables/operation.ts';
export type * from './tables/requests.ts';
export type * from './tables/tasks.ts';

/** The rows as they lie in either database: integers (milliseconds, quota units, 0 and 1 for false and true) and text (JSON too). */
export interface Tables extends AnswerTables, FileTables, MoneyTables, OperationTables, RequestTables, TaskTables {}
