/** Models that their vendors give up: callers are told by headers (RFC 9745, RFC 8594), operators by one line of the log a day. */
import type { Response } from 'express';
import { rowNamed, type Catalogue, type Log, type ModelRow } from '@model-gateway/core';
import { dayOf } from '../resources/values.ts';

const DAY_MS = 86_400_000;

export interface DeprecatedModelsParts {
  readonly catalogue: () => Catalogue;
  readonly log: Pick<Log, 'warn'>;
  readonly now: () => number;
}

export class DeprecatedModels {
  readonly #parts: DeprecatedModelsParts;
  /** The day on which operators were last told, by the code of a row: there are no more of them than rows. */
  readonly #told = new Map<string, number>();

  constructor(parts: DeprecatedModelsParts) {
    this.#parts = parts;
  }

  /** Says in the headers of an answer that the model is given up, where it is. */
  tell(response: Response, model: string): void {
    const catalogue = this.#parts.catalogue();
    if (catalogue.deprecates !== true) return;
    const row = rowNamed(catalogue, model);
    if (row?.deprecatedAt === undefined && row?.retiresAt === undefined) return;
    const { deprecatedAt, retiresAt } = row;
    if (deprecatedAt !== undefined) response.setHeader('deprecation', `@${Math.floor(deprecatedAt / 1000)}`);
    if (retiresAt !== undefined) response.setHeader('sunset', new Date(retiresAt).toUTCString());
    this.#tellOperators(row);
  }

  #tellOperators({ code, wildcard, deprecatedAt, retiresAt }: ModelRow): void {
    const name = wildcard ?? code;
    const day = Math.floor(this.#parts.now() / DAY_MS);
    if (this.#told.get(name) === day) return;
    this.#told.set(name, day);
    const said = deprecatedAt === undefined ? {} : { deprecated: dayOf(deprecatedAt) };
    const ends = retiresAt === undefined ? {} : { retires: dayOf(retiresAt) };
    const until = retiresAt === undefined ? '' : `, and its vendor ends it on ${dayOf(retiresAt)}`;
    this.#parts.log.warn(
      { model: code, ...said, ...ends },
      `the model ${code} is deprecated and still asked for${until}`,
    );
  }
}
