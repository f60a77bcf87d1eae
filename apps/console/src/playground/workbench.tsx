/** The two halves of what is made in the playground: a form that asks for it, and what has come of it. */
import type { ReactNode } from 'react';
import { FaultBox } from '../ui/parts.tsx';

interface WorkbenchProps {
  /** Asks when the form is sent; its fault is shown under it. */
  work: { readonly mutate: () => void; readonly isError: boolean; readonly error: unknown };
  form: ReactNode;
  /** Names the results for those who do not see them. */
  label: string;
  children: ReactNode;
}

export function Workbench({ work, form, label, children }: WorkbenchProps) {
  return (
    <div className="two">
      <form
        className="card stack"
        onSubmit={(event) => {
          event.preventDefault();
          work.mutate();
        }}
      >
        {form}
        {work.isError && <FaultBox error={work.error} />}
      </form>
      <section className="stack" aria-label={label}>
        {children}
      </section>
    </div>
  );
}
