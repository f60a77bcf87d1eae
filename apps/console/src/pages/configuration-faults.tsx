/** What is wrong with the configuration, each with its place. */
import type { Schemas } from '../api/api.ts';

export function ConfigurationFaults({
  title,
  of,
  tone = 'bad',
}: {
  title: string;
  of: readonly Schemas['ConfigFault'][];
  tone?: 'bad' | 'warn';
}) {
  if (of.length === 0) return null;
  return (
    <div className={tone === 'bad' ? 'fault' : 'card'} role={tone === 'bad' ? 'alert' : undefined}>
      <b>{title}</b>
      <ul className="small">
        {of.map(({ path, message, file, line }, index) => (
          <li key={`${index} ${path}`}>
            {path !== '' && <code>{path}</code>} {message}
            {line !== null && (
              <span className="quiet">
                {' '}
                ({file}:{line})
              </span>
            )}
          </li>
        ))}
      </ul>
    </div>
  );
}
