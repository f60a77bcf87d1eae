/** By what metrics of spend are split (`telemetry.spend`). */
export const SPEND_LABELS = ['organization', 'owner', 'project', 'user'] as const;
export type SpendLabel = (typeof SPEND_LABELS)[number];

/** The largest limit of values: of 2,000 series, those without project and user always have room. */
export const MOST_VALUES = 500;

export interface SpendMetricsSettings {
  /** None: nothing is counted. */
  readonly labels: readonly SpendLabel[];
  /** Different values of each label in one process, of live and of test keys each. */
  readonly values: number;
}

/** Users can be very many, and are often persons: they are counted where that is asked for. */
export const USUAL_SPEND_METRICS: SpendMetricsSettings = { labels: ['organization', 'owner', 'project'], values: 100 };
