/** For operators: keys, owners and balances, usage, the ledger, tasks, accounts, webhooks. Apart, so that programs which only generate carry none of it. */
import type { BinaryReply } from '../binary.ts';
import type { Call } from '../call.ts';
import { Core, type ClientOptions } from '../core.ts';
import type { BodyOf, QueryOf, Schemas } from '../operations.ts';
import type { Pages } from '../pages.ts';
import type { RequestOptions } from '../transport.ts';
import { listOf } from './lists.ts';
import { Resource } from './resource.ts';

/** Makes a client of the admin API. Its key is the admin key; without it `MODEL_GATEWAY_ADMIN_KEY`. */
export function createAdmin(options: ClientOptions = {}): Admin {
  return new Admin(new Core(options, 'MODEL_GATEWAY_ADMIN_KEY'));
}

/** For operators. */
export class Admin extends Resource {
  readonly keys = new Keys(this.core);
  readonly owners = new Owners(this.core);
  readonly ledger = new AdminLedger(this.core);
  readonly tasks = new AdminTasks(this.core);
  readonly webhooks = new Webhooks(this.core);
  readonly alerts = new AdminAlerts(this.core);
  readonly audit = new AdminAudit(this.core);
  readonly jobs = new AdminJobs(this.core);
  readonly requests = new AdminRequests(this.core);
  readonly people = new People(this.core);
  /** Requests, tokens and money, grouped as asked. */
  usage(query: QueryOf<'getUsage'> = {}, options?: RequestOptions): Call<Schemas['UsageReport']> {
    return this.core.call('getUsage', { query }, options);
  }
  /** Requests, errors, tokens, money and times by time. */
  overview(query: QueryOf<'getOverview'> = {}, options?: RequestOptions): Call<Schemas['Overview']> {
    return this.core.call('getOverview', { query }, options);
  }
  /** Models and accounts that are kept in the database. */
  readonly configEntries = new ConfigEntries(this.core);
  /** The configuration as it is loaded, without secrets. */
  config(options?: RequestOptions): Call<Schemas['LoadedConfig']> {
    return this.core.call('getConfig', {}, options);
  }
  /** Every model of the catalogue, whichever keys may use it. */
  models(query: QueryOf<'listAllModels'> = {}, options?: RequestOptions): Call<Schemas['ModelList']> {
    return this.core.call('listAllModels', { query }, options);
  }
  /** The vendor accounts and their health. */
  accounts(options?: RequestOptions): Call<Schemas['AccountList']> {
    return this.core.call('listAccounts', {}, options);
  }
  /** One cheap call to the vendor of an account, and what its outcome means. */
  testAccount(id: number, query: QueryOf<'testAccount'> = {}, options?: RequestOptions): Call<Schemas['AccountTest']> {
    return this.core.call('testAccount', { path: { account_id: id }, query }, options);
  }
  /** The same for an account that is not kept yet, and the models that it could offer. */
  testAccountDraft(draft: BodyOf<'testAccountDraft'>, options?: RequestOptions): Call<Schemas['AccountDraftTest']> {
    return this.core.call('testAccountDraft', { body: draft }, options);
  }
  /** Where the catalogue differs from what vendors list; nothing is changed. */
  modelChanges(query: QueryOf<'listModelChanges'> = {}, options?: RequestOptions): Call<Schemas['ModelChangeList']> {
    return this.core.call('listModelChanges', { query }, options);
  }
  /** Whom accounts can be made for, and what these hold. */
  vendors(options?: RequestOptions): Call<Schemas['VendorList']> {
    return this.core.call('listVendors', {}, options);
  }
  /** Every limit of money and every budget of an account, the fullest first. */
  budgets(query: QueryOf<'listBudgets'> = {}, options?: RequestOptions): Call<Schemas['BudgetList']> {
    return this.core.call('listBudgets', { query }, options);
  }
  /** Makes a budget above keys, in the database. */
  createBudget(body: BodyOf<'createBudget'>, options?: RequestOptions): Call<Schemas['BudgetRule']> {
    return this.core.call('createBudget', { body }, options);
  }
  /** A budget above keys, by its name or number. */
  budget(budget: string, options?: RequestOptions): Call<Schemas['BudgetRule']> {
    return this.core.call('getBudget', { path: { budget } }, options);
  }
  updateBudget(budget: string, body: BodyOf<'updateBudget'>, options?: RequestOptions): Call<Schemas['BudgetRule']> {
    return this.core.call('updateBudget', { path: { budget }, body }, options);
  }
  deleteBudget(budget: string, options?: RequestOptions): Call<Schemas['BudgetRuleDeleted']> {
    return this.core.call('deleteBudget', { path: { budget } }, options);
  }
  /** Parameters that did not reach vendors as they were sent, the most frequent first. */
  droppedParameters(
    query: QueryOf<'listDroppedParameters'> = {},
    options?: RequestOptions,
  ): Call<Schemas['DroppedParameterList']> {
    return this.core.call('listDroppedParameters', { query }, options);
  }
  /** What recent chat requests of a key would have cost on another model. */
  estimateReplay(query: QueryOf<'estimateReplay'>, options?: RequestOptions): Call<Schemas['ReplayEstimate']> {
    return this.core.call('estimateReplay', { query }, options);
  }
  /** What prompt caches of vendors would have saved, by key and cause. */
  cacheReport(query: QueryOf<'getCacheReport'> = {}, options?: RequestOptions): Call<Schemas['CacheReport']> {
    return this.core.call('getCacheReport', { query }, options);
  }
  /** A vendor's bill beside the ledger. */
  checkBill(body: BodyOf<'checkBill'>, options?: RequestOptions): Call<Schemas['BillCheck']> {
    return this.core.call('checkBill', { body }, options);
  }
  /** What looks through requests and answers. */
  guardrails(options?: RequestOptions): Call<Schemas['GuardrailList']> {
    return this.core.call('listGuardrails', {}, options);
  }
  /** What guardrails would make of a text; nothing is sent. */
  testGuardrails(body: BodyOf<'testGuardrails'>, options?: RequestOptions): Call<Schemas['GuardrailTrialResult']> {
    return this.core.call('testGuardrails', { body }, options);
  }
  /** Whom a request would go to, and why. */
  explainRoute(body: BodyOf<'explainRoute'>, options?: RequestOptions): Call<Schemas['RouteExplanation']> {
    return this.core.call('explainRoute', { body }, options);
  }
  /** What must always be so of the rows together, and what breaks it; `look` looks now. */
  invariants(query: QueryOf<'getInvariants'> = {}, options?: RequestOptions): Call<Schemas['InvariantReport']> {
    return this.core.call('getInvariants', { query }, options);
  }
}

/** Keys of the public API. */
export class Keys extends Resource {
  /** Newest first, without their secrets. */
  list(query?: QueryOf<'listKeys'>, options?: RequestOptions): Pages<Schemas['Key']> {
    return listOf(this.core, 'listKeys', query, options);
  }
  /** The secret is in this answer and nowhere else. */
  create(body: BodyOf<'createKey'>, options?: RequestOptions): Call<Schemas['KeyCreated']> {
    return this.core.call('createKey', { body }, options);
  }
  get(id: number, options?: RequestOptions): Call<Schemas['Key']> {
    return this.core.call('getKey', { path: { key_id: id } }, options);
  }
  /** Its limits, and what is used of them. */
  limits(id: number, options?: RequestOptions): Call<Schemas['KeyLimitUse']> {
    return this.core.call('getKeyLimits', { path: { key_id: id } }, options);
  }
  /** Changes what is named and leaves the rest. */
  update(id: number, body: BodyOf<'updateKey'>, options?: RequestOptions): Call<Schemas['Key']> {
    return this.core.call('updateKey', { path: { key_id: id }, body }, options);
  }
  /** For good. */
  revoke(id: number, options?: RequestOptions): Call<Schemas['Key']> {
    return this.core.call('revokeKey', { path: { key_id: id } }, options);
  }
  /** A new secret; the old one works on for `overlap_seconds`. */
  rotate(id: number, body: BodyOf<'rotateKey'> = {}, options?: RequestOptions): Call<Schemas['KeyCreated']> {
    return this.core.call('rotateKey', { path: { key_id: id }, body }, options);
  }
}

/** Who keys belong to, and their money. */
export class Owners extends Resource {
  list(query?: QueryOf<'listOwners'>, options?: RequestOptions): Pages<Schemas['Owner']> {
    return listOf(this.core, 'listOwners', query, options);
  }
  create(body: BodyOf<'createOwner'>, options?: RequestOptions): Call<Schemas['Owner']> {
    return this.core.call('createOwner', { body }, options);
  }
  get(id: number, options?: RequestOptions): Call<Schemas['Owner']> {
    return this.core.call('getOwner', { path: { owner_id: id } }, options);
  }
  update(id: number, body: BodyOf<'updateOwner'>, options?: RequestOptions): Call<Schemas['Owner']> {
    return this.core.call('updateOwner', { path: { owner_id: id }, body }, options);
  }
  /** Adds money, in quota units or US dollars. */
  topUp(id: number, body: BodyOf<'topUpOwner'>, options?: RequestOptions): Call<Schemas['BalanceChange']> {
    return this.core.call('topUpOwner', { path: { owner_id: id }, body }, options);
  }
  /** Corrects a balance, either way, with a note. */
  adjust(id: number, body: BodyOf<'adjustOwner'>, options?: RequestOptions): Call<Schemas['BalanceChange']> {
    return this.core.call('adjustOwner', { path: { owner_id: id }, body }, options);
  }
  /** Opening balance, every movement of the period, closing balance. */
  statement(
    id: number,
    query: Omit<QueryOf<'getOwnerStatement'>, 'format'> = {},
    options?: RequestOptions,
  ): Call<Schemas['Statement']> {
    return this.core.call('getOwnerStatement', { path: { owner_id: id }, query }, options);
  }
  /** The same as CSV, of any size. */
  statementCsv(
    id: number,
    query: Omit<QueryOf<'getOwnerStatement'>, 'format'> = {},
    options?: RequestOptions,
  ): Call<BinaryReply> {
    const csv = { ...query, format: 'csv' } as const;
    return this.core.download('getOwnerStatement', { path: { owner_id: id }, query: csv }, options);
  }
}

/** The append-only ledger. */
export class AdminLedger extends Resource {
  list(query?: QueryOf<'listLedgerEntries'>, options?: RequestOptions): Pages<Schemas['LedgerEntry']> {
    return listOf(this.core, 'listLedgerEntries', query, options);
  }
  /** Recomputes every balance and hold and names what differs. */
  verify(options?: RequestOptions): Call<Schemas['LedgerVerification']> {
    return this.core.call('verifyLedger', {}, options);
  }
  /** Recomputes the bill of one request. */
  replay(requestId: string, options?: RequestOptions): Call<Schemas['LedgerReplay']> {
    return this.core.call('replayLedger', { path: { request_id: requestId } }, options);
  }
}

/** Tasks of all owners. */
export class AdminTasks extends Resource {
  list(query?: QueryOf<'listAllTasks'>, options?: RequestOptions): Pages<Schemas['AdminTask']> {
    return listOf(this.core, 'listAllTasks', query, options);
  }
  get(id: string, options?: RequestOptions): Call<Schemas['AdminTask']> {
    return this.core.call('getAnyTask', { path: { task_id: id } }, options);
  }
  /** Stops a task where its vendor can; a 409 says that it is too late. */
  cancel(id: string, options?: RequestOptions): Call<Schemas['AdminTask']> {
    return this.core.call('cancelAnyTask', { path: { task_id: id } }, options);
  }
}

/** What was sent to `callback_url`s. */
export class Webhooks extends Resource {
  list(query?: QueryOf<'listWebhookDeliveries'>, options?: RequestOptions): Pages<Schemas['WebhookDelivery']> {
    return listOf(this.core, 'listWebhookDeliveries', query, options);
  }
  /** Sends one again. */
  replay(deliveryId: string, options?: RequestOptions): Call<Schemas['WebhookDelivery']> {
    return this.core.call('replayWebhookDelivery', { path: { delivery_id: deliveryId } }, options);
  }
}

/** What operators changed. */
export class AdminAudit extends Resource {
  /** Newest first. */
  list(query?: QueryOf<'listAuditEntries'>, options?: RequestOptions): Pages<Schemas['AuditEntry']> {
    return listOf(this.core, 'listAuditEntries', query, options);
  }
}

/** What operators are told of budgets and accounts, by webhook, chat and e-mail. */
export class AdminAlerts extends Resource {
  /** Newest first, with whether they arrived. */
  list(query?: QueryOf<'listAlerts'>, options?: RequestOptions): Pages<Schemas['AlertDelivery']> {
    return listOf(this.core, 'listAlerts', query, options);
  }
  /** Sends a test message to one channel, or to all. */
  test(body: BodyOf<'testAlerts'> = {}, options?: RequestOptions): Call<Schemas['AlertTest']> {
    return this.core.call('testAlerts', { body }, options);
  }
}

/** Work that reads more than a page: verification, backups, complete exports. */
export class AdminJobs extends Resource {
  /** Answers at once; `get` says how far it is. */
  start(body: BodyOf<'createJob'>, options?: RequestOptions): Call<Schemas['Job']> {
    return this.core.call('createJob', { body }, options);
  }
  /** Newest first. */
  list(query?: QueryOf<'listJobs'>, options?: RequestOptions): Pages<Schemas['Job']> {
    return listOf(this.core, 'listJobs', query, options);
  }
  get(id: number, options?: RequestOptions): Call<Schemas['Job']> {
    return this.core.call('getJob', { path: { job_id: id } }, options);
  }
  cancel(id: number, options?: RequestOptions): Call<Schemas['Job']> {
    return this.core.call('cancelJob', { path: { job_id: id } }, options);
  }
  /** The file of an export or a backup. */
  download(id: number, options?: RequestOptions): Call<BinaryReply> {
    return this.core.download('getJobFile', { path: { job_id: id } }, options);
  }
}

/** Models and accounts of the configuration, and what is kept of them in the database. */
export class ConfigEntries extends Resource {
  /** Every model and account, with where it comes from. */
  list(query?: QueryOf<'listConfigEntries'>, options?: RequestOptions): Pages<Schemas['ConfigEntry']> {
    return listOf(this.core, 'listConfigEntries', query, options);
  }
  get(section: Section, name: string, options?: RequestOptions): Call<Schemas['ConfigEntry']> {
    return this.core.call('getConfigEntry', { path: { section, name } }, options);
  }
  /** Keeps members of a row in the database, or takes the row away; with `dry_run` it only says what that would change. */
  put(
    section: Section,
    name: string,
    { dry_run, version, ...body }: BodyOf<'putConfigEntry'> & QueryOf<'putConfigEntry'>,
    options?: RequestOptions,
  ): Call<Schemas['ConfigChangeResult']> {
    return this.core.call(
      'putConfigEntry',
      {
        path: { section, name },
        query: { ...(dry_run !== undefined && { dry_run }), ...(version !== undefined && { version }) },
        body,
      },
      options,
    );
  }
  /** Falls back to the file. */
  delete(
    section: Section,
    name: string,
    query: QueryOf<'deleteConfigEntry'> = {},
    options?: RequestOptions,
  ): Call<Schemas['ConfigChangeResult']> {
    return this.core.call('deleteConfigEntry', { path: { section, name }, query }, options);
  }
  /** Newest first. */
  changes(query?: QueryOf<'listConfigChanges'>, options?: RequestOptions): Pages<Schemas['ConfigChange']> {
    return listOf(this.core, 'listConfigChanges', query, options);
  }
  /** Puts a row back as it was before the change. */
  undo(
    id: number,
    query: QueryOf<'undoConfigChange'> = {},
    options?: RequestOptions,
  ): Call<Schemas['ConfigChangeResult']> {
    return this.core.call('undoConfigChange', { path: { change_id: id }, query }, options);
  }
}

type Section = Schemas['ConfigSection'];

/** Who has signed in with the identity provider. */
export class People extends Resource {
  /** Those who came last first. */
  list(query?: QueryOf<'listPeople'>, options?: RequestOptions): Pages<Schemas['Person']> {
    return listOf(this.core, 'listPeople', query, options);
  }
  /** Ends all sessions and refuses further sign-ins, or lets somebody in again. */
  update(id: number, body: BodyOf<'updatePerson'>, options?: RequestOptions): Call<Schemas['Person']> {
    return this.core.call('updatePerson', { path: { person_id: id }, body }, options);
  }
  /** Ends all sessions. */
  signOut(id: number, options?: RequestOptions): Call<Schemas['Person']> {
    return this.core.call('signOutPerson', { path: { person_id: id }, body: {} }, options);
  }
}

/** The log of requests. */
export class AdminRequests extends Resource {
  /** Newest first. */
  list(query?: QueryOf<'listRequests'>, options?: RequestOptions): Pages<Schemas['RequestRecord']> {
    return listOf(this.core, 'listRequests', query, options);
  }
  /** One in full: attempts, and the bill line by line. */
  get(requestId: string, options?: RequestOptions): Call<Schemas['RequestDetail']> {
    return this.core.call('getRequest', { path: { request_id: requestId } }, options);
  }
  /** What it read from the vendor's prompt cache, and why not more. */
  cache(requestId: string, options?: RequestOptions): Call<Schemas['RequestCache']> {
    return this.core.call('getRequestCache', { path: { request_id: requestId } }, options);
  }
  /** What to send so that another model answers it; with that answer, how both differ. */
  prepareReplay(
    requestId: string,
    body: BodyOf<'prepareReplay'>,
    options?: RequestOptions,
  ): Call<Schemas['RequestReplay']> {
    return this.core.call('prepareReplay', { path: { request_id: requestId }, body }, options);
  }
  /** Gives back what the request was charged, with a note. */
  waive(requestId: string, body: BodyOf<'waiveRequest'>, options?: RequestOptions): Call<Schemas['BalanceChange']> {
    return this.core.call('waiveRequest', { path: { request_id: requestId }, body }, options);
  }
}
