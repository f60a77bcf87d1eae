/** Keys: an operator sees and makes all of them, anybody else sees the one they signed in with. */
import { useRights } from '../api/session.ts';
import { AllKeys } from './keys-all.tsx';
import { MyKey } from './keys-mine.tsx';

export default function Keys() {
  const { admin } = useRights();
  return admin ? <AllKeys /> : <MyKey />;
}
