import { useId, useState } from 'react';
import type { DoctorLine } from '../../../preload/contract/settings.ts';
import { CircleCheck, CircleMinus, CircleX, TriangleAlert } from 'lucide-react';
import { bridge } from '../../bridge.ts';
import { Button } from '../../ui/button.tsx';
import { classNames } from '../../ui/class-names.ts';
import { CopyButton } from '../../ui/copy-button.tsx';
import { failureWords } from '../../ui/failure.ts';
import { InlinePanel } from '../../ui/inline-panel.tsx';
import { Select } from '../../ui/input.tsx';
import { changeSettings, useSettings } from './live.ts';
import { NumberField } from './number-field.tsx';
import { Row } from './row.tsx';

const THEMES = { system: 'As the desktop', light: 'Light', dark: 'Dark' } as const;
const SHELLS = { electron: 'desktop app', browser: 'browser', cli: 'command line', test: 'test' } as const;

export function GeneralSection() {
  const { settings, host } = useSettings();
  const themeId = useId();
  const iterationsId = useId();
  return (
    <div className="flex flex-col gap-3">
      <div>
        <Row label="Look" htmlFor={themeId}>
          <Select
            id={themeId} disabled={settings === undefined || settings.problem !== null} value={settings?.theme ?? 'system'} className="w-40"
            onChange={(event) => { const theme = event.target.value as keyof typeof THEMES; void changeSettings({ theme }); }}
          >
            {Object.entries(THEMES).map(([value, words]) => <option key={value} value={value}>{words}</option>)}
          </Select>
        </Row>
        <Row label="Longest turn" htmlFor={iterationsId} hint="How often the model may be asked within one turn before the agent stops and says so.">
          <NumberField
            id={iterationsId} min={1} max={10_000} unit="requests" value={settings?.maxIterations ?? 90} disabled={settings === undefined || settings.problem !== null}
            onSave={(maxIterations) => { void changeSettings({ maxIterations }); }}
          />
        </Row>
        <Row label="Hide secrets" hint="Known shapes of keys and passwords are replaced before the model, the log or the database sees them. Set in config.yaml: security.redact_secrets.">
          <span className={settings?.redactSecrets === false ? 'text-warn' : ''}>{settings === undefined ? '' : settings.redactSecrets ? 'On' : 'Off'}</span>
        </Row>
        <Row label="Home" hint="Settings, keys and chats live here; Hermes uses the same place.">
          <Path path={host?.home} />
        </Row>
        <Row label="Version">
          <span className="text-muted">{host === undefined ? '' : `Talaria ${host.version}, ${SHELLS[host.shell]}, ${host.user}@${host.host}, ${host.platform}`}</span>
        </Row>
      </div>
      <Doctor />
    </div>
  );
}

function Path({ path }: { readonly path: string | undefined }) {
  if (path === undefined) return null;
  return <span className="flex items-center gap-1"><code className="text-xs wrap-anywhere">{path}</code><CopyButton text={path} label="Copy the path" /></span>;
}

const DOCTOR_LOOKS = {
  ok: { icon: CircleCheck, text: 'text-ok', word: 'Works' },
  off: { icon: CircleMinus, text: 'text-faint', word: 'Not set up' },
  warn: { icon: TriangleAlert, text: 'text-warn', word: 'Limited' },
  fail: { icon: CircleX, text: 'text-danger', word: 'Does not work' },
} as const;

/** What works on this machine, what does not, and how to mend it. */
function Doctor() {
  const [lines, setLines] = useState<readonly DoctorLine[]>();
  const [failure, setFailure] = useState<string>();
  const [busy, setBusy] = useState(false);
  const run = (): void => {
    setBusy(true);
    bridge.request('host.doctor', {}).then((found) => { setLines(found); setFailure(undefined); }, (error: unknown) => { setFailure(failureWords(error)); }).finally(() => { setBusy(false); });
  };
  return (
    <div className="flex flex-col gap-2">
      <Button busy={busy} className="self-start" onClick={run}>Check this machine</Button>
      <div role="status">
        {failure === undefined ? null : <InlinePanel tone="danger" title="The check could not be made">{failure}</InlinePanel>}
        {lines === undefined ? null : (
          <ul aria-label="What works here" className="divide-y divide-line rounded-lg border border-line">
            {lines.map((line) => {
              const look = DOCTOR_LOOKS[line.state];
              return (
                <li key={line.name} className="flex items-start gap-2 px-3 py-1.5">
                  <look.icon size={14} aria-label={look.word} className={classNames('mt-[3px] shrink-0', look.text)} />
                  <div className="min-w-0 wrap-anywhere"><span className="font-medium">{line.name}</span> <span className="text-muted">{line.message}</span>{line.fix === undefined ? null : <p className="text-xs text-muted">{line.fix}</p>}</div>
                </li>
              );
            })}
          </ul>
        )}
      </div>
    </div>
  );
}
