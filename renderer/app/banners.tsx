/** What the person should know before anything else: a lost host, a broken configuration, a warning from the start. */
import { useEffect, useState } from 'react';
import { bridge } from '../bridge.ts';
import { ConfigProblemBanner } from '../features/settings/index.tsx';
import { Button } from '../ui/button.tsx';
import { InlinePanel } from '../ui/inline-panel.tsx';

/** A connection that is back before this is not worth a word, in ms. */
const QUIET_MS = 400;

export function Banners() {
  return (
    <div className="flex shrink-0 flex-col">
      <ConnectionBanner />
      <ConfigProblemBanner />
      <StartWarnings />
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
    <InlinePanel role="alert" tone="danger" title="The connection to the host is lost" className="m-2">
      {reason === undefined ? '' : `It said: ${reason}. `}This window connects again by itself as soon as the host answers. Nothing typed is lost.
    </InlinePanel>
  );
}

function StartWarnings() {
  const [warnings, setWarnings] = useState<readonly string[]>([]);
  useEffect(() => {
    let current = true;
    bridge.request('host.info', {}).then(
      (info) => { if (current) setWarnings(info.warnings); },
      (error: unknown) => { console.error('the host could not be asked about itself', error); },
    );
    return () => { current = false; };
  }, []);
  return warnings.map((warning) => (
    <InlinePanel
      key={warning} tone="warn" title={warning} className="m-2 mb-0"
      actions={<Button size="small" onClick={() => { setWarnings((now) => now.filter((other) => other !== warning)); }}>Dismiss</Button>}
    />
  ));
}
