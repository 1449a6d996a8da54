/** What the person should know before anything else: a lost host, a broken configuration, a warning from the start. */
import { TriangleAlert } from 'lucide-react';
import { useEffect, useState } from 'react';
import { bridge } from '../bridge.ts';
import { YoloBanner } from '../features/approvals/index.tsx';
import { CredentialRequests } from '../features/credentials/index.tsx';
import { ConfigProblemBanner } from '../features/settings/index.tsx';
import { Button } from '../ui/button.tsx';
import { InlinePanel } from '../ui/inline-panel.tsx';

/** A connection that is back before this is not worth a word, in ms. */
const QUIET_MS = 400;

export function Banners() {
  return (
    <div className="flex shrink-0 flex-col">
      <ConnectionBanner />
      <ConfigProblemBanner className="m-2" />
      <StartWarnings />
      <YoloBanner />
      <CredentialRequests />
    </div>
  );
}

function ConnectionBanner() {
  const [lost, setLost] = useState(false);
  const [reason, setReason] = useState<string>();
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    const offs = [
      bridge.onStatus((status) => {
        if (status === 'open') {
          clearTimeout(timer);
          timer = undefined;
          setLost(false);
          setReason(undefined);
        } else {
          timer ??= setTimeout(() => { setLost(true); }, QUIET_MS);
        }
      }),
      bridge.subscribe('host', (event) => { setReason(event.reason); }),
    ];
    return () => {
      clearTimeout(timer);
      for (const off of offs) off();
    };
  }, []);
  if (!lost) return null;
  return (
    <InlinePanel role="alert" tone="danger" title="Talaria does not answer any more" className="m-2">
      {reason === undefined ? '' : `It said: ${reason}. `}If it was ended, start it again where it ran, with npm start. This window connects by itself as soon as it answers; should it stay like this, open the new link that it printed. Nothing typed is lost.
    </InlinePanel>
  );
}

/** Texts that were put away for good. */
const DISMISSED = 'talaria.dismissed';

function loadDismissed(): readonly string[] {
  return (localStorage.getItem(DISMISSED) ?? '').split('\n').filter((text) => text !== '');
}

/** One quiet line per warning, until it is put away; the settings still list them all. */
function StartWarnings() {
  const [warnings, setWarnings] = useState<readonly string[]>([]);
  useEffect(() => {
    let current = true;
    const ask = (): void => {
      bridge.request('host.info', {}).then(
        (info) => {
          const dismissed = new Set(loadDismissed());
          if (current) setWarnings(info.warnings.filter((warning) => !dismissed.has(warning.replaceAll('\n', ' '))));
        },
        (error: unknown) => { console.warn('the host could not be asked about itself; it is asked again when the connection is back', error); },
      );
    };
    const off = bridge.onStatus((status) => { if (status === 'open') ask(); });
    return () => {
      current = false;
      off();
    };
  }, []);
  const dismiss = (warning: string): void => {
    localStorage.setItem(DISMISSED, [...loadDismissed(), warning.replaceAll('\n', ' ')].join('\n'));
    setWarnings((now) => now.filter((other) => other !== warning));
  };
  return warnings.map((warning) => (
    <div key={warning} role="note" className="flex min-h-8 items-center gap-2 border-b border-line bg-warn-soft py-1 pr-2 pl-3 text-xs text-warn">
      <TriangleAlert size={14} aria-hidden className="shrink-0" />
      <p className="min-w-0 flex-1 wrap-anywhere">{warning}</p>
      <Button size="small" tone="ghost" onClick={() => { dismiss(warning); }}>Dismiss</Button>
    </div>
  ));
}
