import { Check, Copy } from 'lucide-react';
import { useEffect, useState } from 'react';
import { IconButton } from './icon-button.tsx';
import { toasts } from './toasts.tsx';

/** How long the tick stays before the copy icon returns. */
const TICK_MS = 1_500;

export function CopyButton({ text, label, className }: { readonly text: string; readonly label: string; readonly className?: string }) {
  const [copied, setCopied] = useState(false);
  useEffect(() => {
    if (!copied) return;
    const timer = setTimeout(() => { setCopied(false); }, TICK_MS);
    return () => { clearTimeout(timer); };
  }, [copied]);
  const copy = (): void => {
    navigator.clipboard.writeText(text).then(
      () => { setCopied(true); },
      (error: unknown) => { toasts.getState().show({ text: `Could not copy: ${error instanceof Error ? error.message : String(error)}`, tone: 'danger' }); },
    );
  };
  return <IconButton size="small" icon={copied ? Check : Copy} label={copied ? 'Copied' : label} onClick={copy} {...(className === undefined ? {} : { className })} />;
}
