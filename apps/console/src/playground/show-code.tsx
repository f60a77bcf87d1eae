/** The request on the page as programs would send it. */
import { Button, Modal, SegmentedControl } from '@mantine/core';
import { createContext, useContext, useState } from 'react';
import { t } from '../text/text.ts';
import { CodeBlock } from '../ui/parts.tsx';
import { codeOf, waysOf, type CodeRequest, type SdkCalls } from './code.ts';

/** The kind that is tried: what it is called, by people and in programs. */
export const KindInUse = createContext<{ readonly name: string; readonly calls: SdkCalls }>({
  name: '',
  calls: { client: (given) => given },
});

export function ShowCode({ request, size = 'sm' }: { request: CodeRequest; size?: 'xs' | 'sm' }) {
  const [isOpen, setOpen] = useState(false);
  const { calls } = useContext(KindInUse);
  const ways = waysOf(calls);
  const [way, setWay] = useState<string>(ways[0] ?? 'curl');
  const chosen = ways.includes(way) ? way : 'curl';
  return (
    <>
      <Button size={size} variant="default" onClick={() => setOpen(true)}>
        {t('Show as code')}
      </Button>
      <Modal
        opened={isOpen}
        onClose={() => setOpen(false)}
        size="xl"
        title={t('The request as code')}
        closeButtonProps={{ 'aria-label': t('Close') }}
      >
        <div className="scroll-x">
          <SegmentedControl
            aria-label={t('Language')}
            data={[...ways]}
            value={chosen}
            onChange={setWay}
            size="xs"
            mb="sm"
          />
        </div>
        <CodeBlock text={codeOf(chosen, request, calls, window.location.origin)} label={t('The request as code')} />
        <p className="quiet small">
          {t('Your key goes into MODEL_GATEWAY_API_KEY. Files are left out; put them in where … stands.')}
        </p>
      </Modal>
    </>
  );
}
