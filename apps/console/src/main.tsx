import './styles.css';
import 'virtual:portal.css';
import './look.css';
import { createRoot } from 'react-dom/client';
import { App, begin } from './app/app.tsx';
import { loadLanguage } from './text/text.ts';

const root = document.getElementById('root');
if (root === null) throw new Error('index.html has no element with the id root');
// Neither waits for the other.
void begin();
await loadLanguage();
createRoot(root).render(<App />);
