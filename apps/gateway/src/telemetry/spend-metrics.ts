/** What was spent, by whom, as metrics. Callers choose projects and users, so the number of values and of series is bounded. */
import { UNITS_PER_DOLLAR } from '@model-gateway/contracts';
import type { Spend } from '@model-gateway/core';
import type { Reading } from '../server/meter.ts';
import { OwnerFacts, type OwnerFact, type OwnerFactsParts } from './owner-facts.ts';
import { SPEND_LABELS, type SpendLabel, type SpendMetricsSettings } from './spend-labels.ts';

/** What values beyond the limit are counted under. */
const OTHER = 'other';
const MODES = 2;
const MOST_SERIES = 3_000;
/** Charges of owners that are not known yet. */
const MOST_WAITING = 1_000;
/** How long a page waits for the names of owners. */
const MOST_PAGE_WAIT_MS = 1_000;
const NOT_READ: OwnerFact = { name: '', organization: OTHER };
/** Callers choose them freely. */
const CHOSEN: ReadonlySet<SpendLabel> = new Set<SpendLabel>(['project', 'user']);

type Values = readonly string[];

interface Series {
  readonly mode: Spend['mode'];
  /** In the order of the settings' labels. */
  readonly values: Values;
  units: number;
  requests: number;
  inputTokens: number;
  outputTokens: number;
}

/** Counts the charges of one process. Memory is bounded, whatever callers send. */
export class SpendMetrics {
  readonly #labels: readonly SpendLabel[];
  readonly #most: number;
  /** Series that are kept for what callers do not choose. */
  readonly #reserved: number;
  readonly #owners: OwnerFacts | undefined;
  readonly #series = new Map<string, Series>();
  readonly #values = new Map<string, Set<string>>();
  #waiting: Spend[] = [];

  constructor({ labels, values }: SpendMetricsSettings, parts: OwnerFactsParts) {
    this.#labels = SPEND_LABELS.filter((label) => labels.includes(label));
    this.#most = values;
    // An owner is in one organization, but the owner `other` is in all of them; there are the empty organization and `other`, too.
    const perMode = labels.includes('owner') && labels.includes('organization') ? 2 * values : values;
    this.#reserved = MODES * (perMode + 2);
    const needsOwners = labels.includes('owner') || labels.includes('organization');
    this.#owners = needsOwners ? new OwnerFacts(parts, () => this.#countWaiting()) : undefined;
  }

  /** Counts a charge: at once, or when its owner has been read. */
  readonly add = (spend: Spend): void => {
    const owners = this.#owners;
    if (owners === undefined) {
      this.#count(spend, NOT_READ);
      return;
    }
    const owner = owners.find(spend.ownerId);
    if (owner !== undefined || this.#waiting.length >= MOST_WAITING) {
      this.#count(spend, owner ?? NOT_READ);
      return;
    }
    this.#waiting.push(spend);
  };

  /** All series as they are now: without charges and names of owners that could not be read within a second. */
  async readings(): Promise<readonly Reading[]> {
    await this.#readOwners();
    return [...this.#series.values()].flatMap((series) => this.#readingsOf(series));
  }

  close(): void {
    this.#owners?.close();
  }

  /** Those of charges that wait, and those whose names are shown. */
  async #readOwners(): Promise<void> {
    const owners = this.#owners;
    if (owners === undefined) return;
    const at = this.#labels.indexOf('owner');
    const shown = at < 0 ? [] : [...this.#series.values()].map(({ values }) => values[at] ?? OTHER);
    const isKnown = shown.filter((id) => id !== OTHER).map((id) => owners.find(Number(id)) !== undefined);
    if (isKnown.includes(false) || this.#waiting.length > 0) await endOrTime(owners.read(), MOST_PAGE_WAIT_MS);
  }

  #countWaiting(): void {
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const spend of waiting) {
      const owner = this.#owners?.find(spend.ownerId);
      // The charge came while others were read.
      if (owner === undefined) this.#waiting.push(spend);
      else this.#count(spend, owner);
    }
  }

  #count(spend: Spend, owner: OwnerFact): void {
    const { mode, usage, charged } = spend;
    const series = this.#seriesOf(
      mode,
      this.#labels.map((label) => this.#bounded(mode, label, valueOf(label, spend, owner))),
    );
    series.units += charged;
    series.requests += 1;
    series.inputTokens += usage.inputTokens ?? 0;
    series.outputTokens += usage.outputTokens ?? 0;
  }

  #bounded(mode: Spend['mode'], label: SpendLabel, value: string): string {
    if (value === '' || value === OTHER) return value;
    const name = `${mode} ${label}`;
    let known = this.#values.get(name);
    if (known === undefined) this.#values.set(name, (known = new Set()));
    if (known.has(value)) return value;
    if (known.size >= this.#most) return OTHER;
    known.add(value);
    return value;
  }

  /** Without room for another series, first what callers choose is left out, then everything. */
  #seriesOf(mode: Spend['mode'], values: Values): Series {
    const find = (these: Values, most: number): Series | undefined =>
      this.#series.get(seriesName(mode, these)) ??
      (this.#series.size < most ? this.#newSeries(mode, these) : undefined);
    const found = find(values, MOST_SERIES - this.#reserved);
    if (found !== undefined) return found;
    const withoutChosen = values.map((value, index) => (CHOSEN.has(this.#labels[index] ?? 'owner') ? OTHER : value));
    const all = values.map(() => OTHER);
    return (
      find(withoutChosen, MOST_SERIES - MODES) ?? this.#series.get(seriesName(mode, all)) ?? this.#newSeries(mode, all)
    );
  }

  #newSeries(mode: Spend['mode'], values: Values): Series {
    const series: Series = { mode, values, units: 0, requests: 0, inputTokens: 0, outputTokens: 0 };
    this.#series.set(seriesName(mode, values), series);
    return series;
  }

  #readingsOf({ mode, values, units, requests, inputTokens, outputTokens }: Series): readonly Reading[] {
    const labels: Record<string, string> = { mode };
    for (const [index, label] of this.#labels.entries()) {
      const value = values[index] ?? '';
      labels[label] = value;
      if (label === 'owner')
        labels['owner_name'] = value === OTHER ? OTHER : (this.#owners?.nameOf(Number(value)) ?? '');
    }
    return [
      { name: 'gateway_spend_dollars_total', value: units / UNITS_PER_DOLLAR, labels },
      { name: 'gateway_spend_requests_total', value: requests, labels },
      { name: 'gateway_spend_tokens_total', value: inputTokens, labels: { ...labels, type: 'input' } },
      { name: 'gateway_spend_tokens_total', value: outputTokens, labels: { ...labels, type: 'output' } },
    ];
  }
}

function valueOf(label: SpendLabel, { ownerId, labels }: Spend, owner: OwnerFact): string {
  switch (label) {
    case 'organization':
      return owner.organization;
    case 'owner':
      return String(ownerId);
    case 'project':
      return labels.tags?.['project'] ?? '';
    case 'user':
      return labels.identity?.user ?? '';
  }
}

/** Waits for work that never rejects, at most so long. */
function endOrTime(work: Promise<void>, ms: number): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, ms);
    void work.then(() => {
      clearTimeout(timer);
      resolve();
    });
  });
}

/** Tags and users have no line breaks. */
function seriesName(mode: Spend['mode'], values: Values): string {
  return `${mode}\n${values.join('\n')}`;
}
