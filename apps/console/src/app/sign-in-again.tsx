import { Modal } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useCallback } from 'react';
import { signIn } from '../api/session.ts';
import { t } from '../text/text.ts';
import { KeyForm } from './sign-in.tsx';
import { SingleSignOnBeside } from './single-sign-on.tsx';

/** Over the page whose session ended: what was typed there stays. */
export default function SignInAgain() {
  const queries = useQueryClient();
  const readAnew = useCallback(() => void queries.invalidateQueries(), [queries]);
  return (
    <Modal
      opened
      onClose={() => {}}
      withCloseButton={false}
      closeOnEscape={false}
      closeOnClickOutside={false}
      title={t('Your session has ended')}
    >
      <div className="sign-in-again">
        <SingleSignOnBeside onDone={readAnew} />
        <KeyForm action={t('Sign in again')} onKey={(key) => signIn(key).then(() => queries.invalidateQueries())}>
          {t('Sign in again to go on; what you typed is still here.')}
        </KeyForm>
      </div>
    </Modal>
  );
}
