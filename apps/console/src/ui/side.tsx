/** What is told about a row, at the side of its list. */
import { Drawer } from '@mantine/core';
import type { ReactNode } from 'react';
import { t } from '../text/text.ts';

export function Side({
  title,
  isOpen,
  onClose,
  children,
}: {
  title: string;
  isOpen: boolean;
  onClose: () => void;
  children: ReactNode;
}) {
  return (
    <Drawer
      opened={isOpen}
      onClose={onClose}
      position="right"
      size="min(620px, 100vw)"
      title={title}
      closeButtonProps={{ 'aria-label': t('Close') }}
      transitionProps={{ duration: 120 }}
    >
      <div className="stack">{children}</div>
    </Drawer>
  );
}
