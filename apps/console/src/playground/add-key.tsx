/** For sessions of the admin key alone: a key beside it, which models are asked with. */
import { Button } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { api, ask } from '../api/api.ts';
import { signIn } from '../api/session.ts';
import { KeyForm } from '../app/sign-in.tsx';
import { t } from '../text/text.ts';
import { FaultBox } from '../ui/parts.tsx';

export function AddKey() {
  const make = useMutation({
    mutationFn: async () => {
      const body = { name: `console ${new Date().toISOString().slice(0, 19)}`, mode: 'test' as const, owner_id: 1 };
      const { secret } = await ask(api.POST('/admin/keys', { body }));
      await signIn(secret, true);
    },
  });
  return (
    <div className="cards wide">
      <section className="card stack">
        <h2>{t('Try it with a test key')}</h2>
        <p className="quiet">
          {t(
            'The admin key opens the admin API alone; models are asked with an API key. A test key is answered by the built-in vendor twin and costs nothing.',
          )}
        </p>
        <div>
          <Button onClick={() => make.mutate()} loading={make.isPending}>
            {t('Create a test key and use it')}
          </Button>
        </div>
        {make.isError && <FaultBox error={make.error} />}
      </section>
      <section className="card sign-in-again">
        <h2>{t('Or use a key of yours')}</h2>
        <KeyForm action={t('Use this key')} onKey={(key) => signIn(key, true)} />
      </section>
    </div>
  );
}
