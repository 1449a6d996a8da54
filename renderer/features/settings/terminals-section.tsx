import { useId } from 'react';
import { Badge } from '../../ui/badge.tsx';
import type { HostInfo, Settings } from '../../../preload/contract/settings.ts';
import { TerminalPreferences } from '../terminals/index.tsx';
import { Backends } from './backends.tsx';
import { changeSettings, useSettings } from './live.ts';
import { NumberField } from './number-field.tsx';
import { Row } from './row.tsx';
import { SandboxRows } from './sandbox-rows.tsx';

/** Where a new chat really starts. */
function startingDirectory(settings: Settings | undefined, host: HostInfo | undefined): string {
  if (settings === undefined || host === undefined) return '…';
  if (settings.terminal.cwd !== '') return settings.terminal.cwd;
  return settings.terminal.backend === 'local' ? host.cwd : `chosen by ${settings.terminal.backend}`;
}

function unsetWords(backend: string): string {
  return backend === 'local' ? 'The folder that Talaria was started in.' : 'What the backend starts in.';
}

export function TerminalsSection() {
  const { settings, host } = useSettings();
  const timeoutId = useId();
  return (
    <div className="flex flex-col gap-3">
      <div>
        <Row label="Where commands run" hint="The backend of every chat without a choice of its own: see the list below. A chat may have another one, chosen in its title row.">
          <Badge tone="accent">{settings?.terminal.backend ?? '…'}</Badge>
        </Row>
        <Row label="Starting directory" hint={settings?.terminal.cwd === '' ? `${unsetWords(settings.terminal.backend)} Set terminal.cwd in config.yaml to change it, or choose a folder per chat.` : 'Set in config.yaml: terminal.cwd, or per chat.'}>
          <code className="text-xs wrap-anywhere">{startingDirectory(settings, host)}</code>
        </Row>
        <Row label="Time limit of a command" htmlFor={timeoutId} hint="A command in the foreground is ended after this time. Background processes have no limit.">
          <NumberField
            id={timeoutId} min={1} max={86_400} unit="seconds" value={settings?.terminal.timeoutSeconds ?? 180} disabled={settings === undefined || settings.problem !== null}
            onSave={(terminalTimeoutSeconds) => { void changeSettings({ terminalTimeoutSeconds }); }}
          />
        </Row>
        <SandboxRows settings={settings} />
      </div>
      <Backends />
      <TerminalPreferences />
    </div>
  );
}
