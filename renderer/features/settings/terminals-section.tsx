import { useId } from 'react';
import { Badge } from '../../ui/badge.tsx';
import { TerminalPreferences } from '../terminals/index.tsx';
import { changeSettings, useSettings } from './live.ts';
import { NumberField } from './number-field.tsx';
import { Row } from './row.tsx';

export function TerminalsSection() {
  const { settings } = useSettings();
  const timeoutId = useId();
  return (
    <div className="flex flex-col gap-3">
      <div>
        <Row label="Where commands run" hint="The backend of new chats. Set in config.yaml: terminal.backend, or TERMINAL_ENV.">
          <Badge tone="accent">{settings?.terminal.backend ?? '…'}</Badge>
        </Row>
        <Row label="Starting directory" hint="Set in config.yaml: terminal.cwd, or per chat.">
          <code className="text-xs wrap-anywhere">{settings?.terminal.cwd ?? '…'}</code>
        </Row>
        <Row label="Time limit of a command" htmlFor={timeoutId} hint="A command in the foreground is ended after this time. Background processes have no limit.">
          <NumberField
            id={timeoutId} min={1} max={86_400} unit="seconds" value={settings?.terminal.timeoutSeconds ?? 180} disabled={settings === undefined || settings.problem !== null}
            onSave={(terminalTimeoutSeconds) => { void changeSettings({ terminalTimeoutSeconds }); }}
          />
        </Row>
      </div>
      <TerminalPreferences />
    </div>
  );
}
