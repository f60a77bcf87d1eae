/** Where models are tried. Each kind is loaded when it is first chosen. */
import { SegmentedControl, Select } from '@mantine/core';
import { Suspense, useState } from 'react';
import { useRights } from '../api/session.ts';
import { t, useLanguage } from '../text/text.ts';
import { useFilters } from '../ui/page-link.tsx';
import { PageHead } from '../ui/parts.tsx';
import { FaultBox } from '../ui/parts.tsx';
import { AddKey } from './add-key.tsx';
import { History } from './history-list.tsx';
import { useModels } from './models.ts';
import { PLAYGROUND_KINDS, searchOf } from './playground-kind.ts';
import { KindInUse } from './show-code.tsx';

export default function Playground() {
  const { key, mayPay } = useRights();
  const language = useLanguage();
  const [filters, change] = useFilters();
  const [first] = PLAYGROUND_KINDS;
  const chosen = PLAYGROUND_KINDS.find(({ name }) => name === filters['kind']) ?? first;
  const names = PLAYGROUND_KINDS.map(({ name, label }) => ({ value: name, label: label[language] }));
  const models = useModels(key !== null);
  // A run that is opened again draws the page of its kind anew.
  const [opened, setOpened] = useState(0);
  const choose = (wanted: string | null): void => {
    const kind = PLAYGROUND_KINDS.find(({ name }) => name === wanted);
    change({ kind: kind && searchOf(kind).kind });
  };
  if (key === null || !mayPay)
    return (
      <>
        <PageHead title={t('Playground')} />
        <AddKey />
      </>
    );
  return (
    <div className="playground">
      <PageHead title={t('Playground')}>
        <div className="kinds-row">
          <SegmentedControl
            size="xs"
            aria-label={t('Kind of model')}
            value={chosen?.name ?? ''}
            onChange={choose}
            data={names}
          />
        </div>
        <Select
          className="kinds-choice"
          aria-label={t('Kind of model')}
          allowDeselect={false}
          value={chosen?.name ?? ''}
          onChange={choose}
          data={names}
        />
        <History
          onOpen={(kind) => {
            change({ kind: searchOf(kind).kind });
            setOpened((before) => before + 1);
          }}
        />
      </PageHead>
      {models.isError && <FaultBox error={models.error} onRetry={() => void models.refetch()} />}
      {models.data !== undefined && chosen !== undefined && (
        <KindInUse value={{ name: chosen.label[language], calls: chosen.calls }}>
          <Suspense>
            <chosen.Page key={`${chosen.name} ${opened}`} models={models.data} />
          </Suspense>
        </KindInUse>
      )}
    </div>
  );
}
