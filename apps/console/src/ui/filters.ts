/** What a page shows, kept in its address: it can be sent to somebody, and the browser's Back works. */
import { useNavigate, useSearch } from '@tanstack/react-router';

export type Filters = Readonly<Record<string, string | undefined>>;

/** The filters, and what changes some of them; `undefined` and the empty text take one away. */
export function useFilters(): [Filters, (changed: Filters) => void] {
  const search: Readonly<Record<string, unknown>> = useSearch({ strict: false });
  const navigate = useNavigate();
  const filters = Object.fromEntries(
    Object.entries(search)
      .filter(([, value]) => value !== undefined && value !== null && value !== '')
      .map(([name, value]) => [name, String(value)]),
  );
  const change = (changed: Filters): void => {
    const next = Object.entries({ ...filters, ...changed }).filter(([, value]) => value !== undefined && value !== '');
    void navigate({ to: '.', search: Object.fromEntries(next), replace: true });
  };
  return [filters, change];
}
