import '@fontsource-variable/inter/wght.css';
import '@fontsource-variable/jetbrains-mono/wght.css';
import '../ui/theme.css';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { bridge } from '../bridge.ts';
import { App } from './app.tsx';
import { warmMarkdown } from '../ui/warm-markdown.tsx';
import { createServices } from './services.ts';

const root = document.getElementById('root');
if (root === null) throw new Error('index.html has no element #root to draw in.');
createRoot(root).render(<StrictMode><App services={createServices(bridge)} /></StrictMode>);
warmMarkdown();
