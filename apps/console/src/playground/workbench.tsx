/** The two halves of what is made in the playground: a form that asks for it, and what has come of it. */
import type { ReactNode } from 'react';
import { useQuery } from '@tanstack/react-query';
import { useDebouncedValue } from '@mantine/hooks';
import { FaultBox } from '../ui/parts.tsx';
import { api, ask } from '../api/api.ts';
import { t } from '../text/text.ts';
import { formatUsd } from '../ui/format.ts';

interface WorkbenchProps {
  /** Asks when the form is sent; its fault is shown under it. */
  work: { readonly mutate: () => void; readonly isError: boolean; readonly error: unknown };
  form: ReactNode;
  /** Names the results for those who do not see them. */
  label: string;
  children: ReactNode;
}

export function Workbench({ work, form, label, children }: WorkbenchProps) {
  return (
    <div className="two">
      <form
        className="card stack"
        onSubmit={(event) => {
          event.preventDefault();
          work.mutate();
        }}
      >
        {form}
        {work.isError && <FaultBox error={work.error} />}
      </form>
      <section className="stack" aria-label={label}>
        {children}
      </section>
    </div>
  );
}

const TYPING_MS = 500;

interface EstimateProps {
  readonly path: string;
  readonly body: Record<string, unknown>;
  /** Whether there is enough of a request to price it. */
  readonly isReady: boolean;
}

export function EstimateLine({ path, body, isReady }: EstimateProps) {
  const text = JSON.stringify(body);
  const [settled] = useDebouncedValue(text, TYPING_MS);
  const estimate = useQuery({
    queryKey: ['estimate', path, settled],
    enabled: isReady && settled.length < 2_000_000,
    retry: false,
    queryFn: () =>
      ask(api.POST('/v1/estimate', { body: { endpoint: path, body: JSON.parse(settled) as Record<string, unknown> } })),
  });
  if (!isReady || estimate.data === undefined) return <span className="quiet small" />;
  return (
    <span className="quiet small" role="status">
      {t('At most {price}', { price: formatUsd(estimate.data.usd) })}
    </span>
  );
}
