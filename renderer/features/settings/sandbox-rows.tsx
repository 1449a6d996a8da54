import { useId } from 'react';
import type { SandboxMode, Settings } from '../../../preload/contract/settings.ts';
import { Switch } from '../../ui/switch.tsx';
import { changeSettings } from './live.ts';
import { Row } from './row.tsx';

const CHOICES: readonly { readonly mode: SandboxMode; readonly words: string }[] = [
  { mode: 'off', words: 'None' }, { mode: 'workspace-write', words: 'Write only in the chat’s folder' }, { mode: 'read-only', words: 'Read only' },
];

/** The wall around local commands that counts for every chat without a choice of its own. */
export function SandboxRows({ settings }: { readonly settings: Settings | undefined }) {
  const name = useId();
  const networkId = useId();
  const locked = settings === undefined || settings.problem !== null;
  const mode = settings?.terminal.sandbox ?? 'off';
  return (
    <>
      <Row label="Sandbox for local commands" hint="A wall made by bubblewrap (bwrap). You are asked about dangerous commands all the same. A chat may have another one: see the shield in its title row.">
        <fieldset disabled={locked} className="flex flex-col gap-1">
          <legend className="sr-only">Sandbox for local commands</legend>
          {CHOICES.map((choice) => (
            <label key={choice.mode} className="flex items-center gap-2">
              <input type="radio" name={name} value={choice.mode} checked={mode === choice.mode} className="size-3.5 accent-accent" onChange={() => { void changeSettings({ terminalSandbox: choice.mode }); }} />
              {choice.words}
            </label>
          ))}
        </fieldset>
      </Row>
      <Row label="Network in the sandbox" htmlFor={networkId} hint="Off: not even this machine’s own servers can be reached.">
        <Switch id={networkId} checked={settings?.terminal.sandboxNetwork ?? true} disabled={locked || mode === 'off'} onChange={(on) => { void changeSettings({ terminalSandboxNetwork: on }); }} />
      </Row>
    </>
  );
}
