/** A list as a file: read page by page to its end, with how far it is, and nothing saved where it could not be read whole. */
import { Button } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { useEffect, useRef, useState } from 'react';
import { faultOf } from '../api/fault.ts';
import { t } from '../text/text.ts';
import { saveFile, wholeCsv, type WholeList } from './csv.ts';
import { formatNumber } from './format.ts';

export interface ExportCsvProps<Row> extends Pick<WholeList<Row>, 'read' | 'lineOf'> {
  readonly fileName: string;
}

export function ExportCsv<Row>({ fileName, read, lineOf }: ExportCsvProps<Row>) {
  const [count, setCount] = useState<number>();
  const running = useRef<AbortController>(undefined);
  useEffect(() => () => running.current?.abort(), []);
  const begin = async (): Promise<void> => {
    const { signal } = (running.current = new AbortController());
    let rows = 0;
    setCount(0);
    try {
      const onRows = (so: number): void => {
        rows = so;
        if (!signal.aborted) setCount(so);
      };
      const parts = await wholeCsv({ read, lineOf, onRows, signal });
      if (rows > 0) saveFile(fileName, parts);
      say(rows > 0 ? t('{count} rows are saved', { count: formatNumber(rows) }) : t('There is nothing to export'));
    } catch (error) {
      // Whoever cancels it knows.
      if (!signal.aborted)
        say(t('Nothing was saved: after {count} rows {why}', { count: formatNumber(rows), why: faultOf(error).message }), 'red'); // prettier-ignore
    }
    if (!signal.aborted) setCount(undefined);
  };
  if (count === undefined)
    return (
      <Button variant="default" onClick={() => void begin()}>
        {t('Export as CSV')}
      </Button>
    );
  return (
    <Button
      variant="default"
      onClick={() => {
        running.current?.abort();
        setCount(undefined);
      }}
    >
      <span aria-live="polite">{t('{count} rows so far · Cancel', { count: formatNumber(count) })}</span>
    </Button>
  );
}

function say(message: string, color?: string): void {
  notifications.show({
    message,
    ...(color !== undefined && { color }),
    closeButtonProps: { 'aria-label': t('Close') },
  });
}
