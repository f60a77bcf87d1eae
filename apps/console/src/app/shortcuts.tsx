import { Modal } from '@mantine/core';
import { t } from '../text/text.ts';
import type { PageEntry } from './navigation.ts';

/** The keys there are. */
export default function Shortcuts({ pages, onClose }: { pages: readonly PageEntry[]; onClose: () => void }) {
  const keys: readonly (readonly [readonly string[], string])[] = [
    [['Ctrl', 'K'], t('Search pages and commands')],
    [['?'], t('This list')],
    [['Enter'], t('Send a chat, in the playground')],
    [['Ctrl', 'Enter'], t('Send, in the playground')],
    ...pages.map(({ letter, title }) => [['g', letter], t(title)] as const),
  ];
  return (
    <Modal opened onClose={onClose} title={t('Keyboard')} closeButtonProps={{ 'aria-label': t('Close') }}>
      <table className="plain-table">
        <thead>
          <tr>
            <th>{t('Keys')}</th>
            <th>{t('What they do')}</th>
          </tr>
        </thead>
        <tbody>
          {keys.map(([pressed, what]) => (
            <tr key={pressed.join(' ')}>
              <td>
                {pressed.map((key) => (
                  <kbd key={key}>{key}</kbd>
                ))}
              </td>
              <td>{what}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </Modal>
  );
}
