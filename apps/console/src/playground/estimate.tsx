/** What the request on the page would cost at most. */
import { useQuery } from '@tanstack/react-query';
import { useDebouncedValue } from '@mantine/hooks';
import { api, ask } from '../api/api.ts';
import { t } from '../text/text.ts';
import { formatUsd } from '../ui/format.ts';

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
