/** Which wall stands around a chat's local commands: the setting for all, or the chat's own; a sub-agent stands behind the wall of who sent it. */
import { realpathSync } from 'node:fs';
import { z } from 'zod';
import { EnvironmentError } from '../../environments/base.ts';
import { sandboxWords, type Sandbox } from '../../environments/local.ts';
import { SandboxMode, type ChatSandbox, type SessionId } from '../../preload/contract/index.ts';
import { chainOf, rootOf } from '../lineage.ts';
import type { ConfigStore, Storage } from '../ports.ts';
import type { AreaHandlers } from './handlers.ts';

const Own = z.object({ mode: SandboxMode, network: z.boolean() });
type Choice = z.infer<typeof Own>;

const NO_BUBBLEWRAP = { message: 'Commands are to run in a sandbox, and bubblewrap (bwrap) is not on PATH.', fix: 'Install it (Debian: apt install bubblewrap), or switch the sandbox off.' } as const;

export interface SandboxesParts {
  readonly config: Pick<ConfigStore, 'settings'>;
  readonly values: Storage['values'];
  readonly home: string;
  which(program: string): string | undefined;
}

export interface Sandboxes {
  /** For a task's next place on this machine; undefined = no wall. Throws `EnvironmentError` when one is wanted and cannot be had. */
  sandboxFor(taskId: string, cwd: string): Sandbox | undefined;
  /** For cards; undefined = no wall. */
  words(taskId: string): string | undefined;
  get(sessionId: SessionId): ChatSandbox;
  /** From the chat's next command on; null = what is set for all. */
  set(sessionId: SessionId, choice: Choice | null): ChatSandbox;
  /** The person chose another folder: that is the one that may be written from now on. */
  moved(sessionId: SessionId): void;
  /** `to`, a fork of the other chat, stands behind the same wall, and may write where that one may. */
  carry(from: SessionId, to: SessionId): void;
}

export function createSandboxes({ config, values, home, which }: SandboxesParts): Sandboxes {
  const choiceKey = (sessionId: string): string => `sandbox:${sessionId}`;
  const folderKey = (sessionId: string): string => `sandbox-folder:${sessionId}`;

  function own(sessionId: string): Choice | undefined {
    const text = values.get(choiceKey(sessionId));
    return text === undefined ? undefined : Own.parse(JSON.parse(text));
  }

  /** That of the first chat of the line that has a choice of its own. */
  function ofLine(taskId: string): Choice | undefined {
    for (const chat of chainOf(values, taskId as SessionId)) { // tasks of chats are named by their ids; other names have no chain
      const choice = own(chat);
      if (choice !== undefined) return choice;
    }
    return undefined;
  }

  function chosen(taskId: string): Choice {
    const { sandbox, sandboxNetwork } = config.settings().terminal;
    return ofLine(taskId) ?? { mode: sandbox, network: sandboxNetwork };
  }

  /** Kept from the first command on: where a command moves to is not what a person chose. */
  function folder(taskId: string, cwd: string): string {
    const key = folderKey(rootOf(values, taskId as SessionId)); // as above
    const kept = values.get(key);
    if (kept !== undefined) return kept;
    const found = realpathSync(cwd);
    values.set(key, found);
    return found;
  }

  const answer = (sessionId: SessionId): ChatSandbox => ({
    ...chosen(sessionId), own: own(sessionId) !== undefined, ...(which('bwrap') === undefined ? { problem: `${NO_BUBBLEWRAP.message} ${NO_BUBBLEWRAP.fix}` } : {}),
  });

  return {
    sandboxFor(taskId, cwd) {
      const { mode, network } = chosen(taskId);
      if (mode === 'off') return undefined;
      const bubblewrap = which('bwrap');
      if (bubblewrap === undefined) throw new EnvironmentError('missing', NO_BUBBLEWRAP.message, { hint: NO_BUBBLEWRAP.fix });
      return { bubblewrap, policy: { mode, network, workspace: folder(taskId, cwd), home: realpathSync(home) } };
    },
    words(taskId) {
      const { mode, network } = chosen(taskId);
      return mode === 'off' ? undefined : sandboxWords({ mode, network });
    },
    get: answer,
    set(sessionId, choice) {
      values.set(choiceKey(sessionId), choice === null ? undefined : JSON.stringify(choice));
      return answer(sessionId);
    },
    moved: (sessionId) => { values.set(folderKey(sessionId), undefined); },
    carry(from, to) {
      const choice = ofLine(from);
      values.set(choiceKey(to), choice === undefined ? undefined : JSON.stringify(choice));
      values.set(folderKey(to), values.get(folderKey(rootOf(values, from))));
    },
  };
}

/** `renew`: the chat's next command gets a new place. What runs goes on where it is. */
export function sandboxRequests(sandboxes: Sandboxes, renew: (sessionId: SessionId) => void): AreaHandlers<'sandbox'> {
  return {
    'sandbox.get': ({ sessionId }) => sandboxes.get(sessionId),
    'sandbox.set': ({ sessionId, sandbox }) => {
      const answer = sandboxes.set(sessionId, sandbox);
      renew(sessionId);
      return answer;
    },
  };
}

/** Calls `renew` when the setting for all chats has become another one. */
export function followSandboxSetting(config: Pick<ConfigStore, 'settings' | 'onChange'>, renew: () => void): () => void {
  const now = (): string => {
    const { sandbox, sandboxNetwork } = config.settings().terminal;
    return `${sandbox} ${String(sandboxNetwork)}`;
  };
  let before = now();
  return config.onChange(() => {
    if (now() === before) return;
    before = now();
    renew();
  });
}
