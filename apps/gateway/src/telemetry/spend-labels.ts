/** By what metrics of spend are split (`telemetry.spend`). */
export const SPEND_LABELS = ['organization', 'owner', 'project', 'user'] as const;
export type SpendLabel = (typeof SPEND_LABELS)[number];

/** The largest limit of values: of 3,000 series, two thirds are then for owners and organizations, and one third for what callers choose. */
export const MOST_VALUES = 500;

export interface SpendMetricsSettings {
  /** None: nothing is counted. */
  readonly labels: readonly SpendLabel[];
  /** Different values of each label in one process, of live and of test keys each. */
  readonly values: number;
  /** Nobody named labels, and everybody may read the page: there are none. */
  readonly isWithheld?: true;
}

/** Users can be very many, and are often persons: they are counted where that is asked for. */
const USUAL_SPEND_METRICS: SpendMetricsSettings = { labels: ['organization', 'owner', 'project'], values: 100 };

interface SpendMetricsRow {
  readonly labels?: readonly SpendLabel[] | undefined;
  readonly values?: number | undefined;
}

/** What the configuration says, or what is usual. Names of owners and what they spend are on a page for everybody only where somebody asks for that. */
export function spendMetricsOf(row: SpendMetricsRow | undefined, isPageForAll: boolean): SpendMetricsSettings {
  const { labels, values } = row ?? {};
  const isWithheld = labels === undefined && isPageForAll;
  return {
    labels: labels ?? (isWithheld ? [] : USUAL_SPEND_METRICS.labels),
    values: values ?? USUAL_SPEND_METRICS.values,
    ...(isWithheld && { isWithheld }),
  };
}
