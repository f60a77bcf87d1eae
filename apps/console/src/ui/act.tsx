/** Something that is done at the gateway: a button that asks first where it cannot be undone, and says how it went. */
import { Button, Modal, type ButtonProps } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { useMutation, useQueryClient, type QueryKey } from '@tanstack/react-query';
import { useState, type ReactNode } from 'react';
import { faultOf } from '../api/fault.ts';
import { t } from '../text/text.ts';
import { FaultBox } from './parts.tsx';

export interface ActProps extends ButtonProps {
  readonly name: string;
  /** Shown before it is done; without it nobody is asked. */
  readonly question?: ReactNode;
  readonly done: string;
  readonly run: () => Promise<unknown>;
  /** What has to be read anew afterwards. */
  readonly changes: readonly QueryKey[];
}

export function Act({ name, question, done, run, changes, ...button }: ActProps) {
  const [isAsking, setAsking] = useState(false);
  const queries = useQueryClient();
  const act = useMutation({
    mutationFn: run,
    onSuccess: async () => {
      setAsking(false);
      notifications.show({ message: done, closeButtonProps: { 'aria-label': t('Close') } });
      for (const queryKey of changes) await queries.invalidateQueries({ queryKey });
    },
    onError: (error) => {
      if (question === undefined)
        notifications.show({
          color: 'red',
          message: faultOf(error).message,
          closeButtonProps: { 'aria-label': t('Close') },
        });
    },
  });
  return (
    <>
      <Button
        variant="default"
        size="xs"
        {...button}
        loading={act.isPending}
        onClick={() => (question === undefined ? act.mutate() : setAsking(true))}
      >
        {name}
      </Button>
      {question !== undefined && (
        <Modal
          opened={isAsking}
          onClose={() => setAsking(false)}
          title={name}
          closeButtonProps={{ 'aria-label': t('Close') }}
        >
          <div className="stack">
            <div>{question}</div>
            {act.isError && <FaultBox error={act.error} />}
            <div className="row">
              <span className="grow" />
              <Button variant="default" onClick={() => setAsking(false)}>
                {t('Cancel')}
              </Button>
              <Button color="red" loading={act.isPending} onClick={() => act.mutate()}>
                {name}
              </Button>
            </div>
          </div>
        </Modal>
      )}
    </>
  );
}
