/** What stands in a page's place: nothing there, broken, on its way. */
import { Button, Loader } from '@mantine/core';
import { type ErrorComponentProps } from '@tanstack/react-router';
import { PageLink } from '../ui/page-link.tsx';
import { t } from '../text/text.ts';
import { Empty, FaultBox, PageHead } from '../ui/parts.tsx';

export function NotFound() {
  return (
    <>
      <PageHead title={t('There is no such page')} />
      <Empty
        title={t('There is nothing to see here')}
        action={
          <Button component={PageLink} to="/">
            {t('Overview')}
          </Button>
        }
      >
        {t('The address may have been typed wrong, or your key may not see it.')}
      </Empty>
    </>
  );
}

export function PageFault({ error, reset }: ErrorComponentProps) {
  return <FaultBox error={error} onRetry={reset} />;
}

/** While a page is on its way. */
export function Loading() {
  return (
    <div className="empty">
      <Loader aria-label={t('Loading')} role="status" />
    </div>
  );
}
