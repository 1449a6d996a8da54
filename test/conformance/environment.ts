/** One suite for all backends: what `environments/base.ts` promises, checked on the real thing (design §8). */
import { afterAll, beforeAll, describe, test } from 'vitest';
import type { Environment } from '../../environments/base.ts';
import { commandCases } from './cases-commands.ts';
import { endingCases } from './cases-ending.ts';
import { execCases } from './cases-exec.ts';
import { fileCases } from './cases-files.ts';
import { inputCases } from './cases-input.ts';
import { outputCases } from './cases-output.ts';
import { stateCases } from './cases-state.ts';
import { terminalCases } from './cases-terminal.ts';
import { Session } from './running.ts';

/** What a backend may lack, each with the reason that the report prints. */
export type Capability = 'pty' | 'resize' | 'processes' | 'whole-tree-end' | 'keep-stdin' | 'input-state' | 'foreground-signal';

export interface Made {
  readonly environment: Environment;
  /** An empty directory inside the backend, absolute and canonical. */
  readonly directory: string;
  close(): Promise<void>;
}

/** One statement about behaviour. `needs`: skipped, by name and with the backend's reason, where it is lacking. */
export interface Case {
  readonly name: string;
  readonly needs?: readonly Capability[];
  run(session: Session): Promise<void>;
}

export const allCases: readonly Case[] = [
  ...commandCases, ...stateCases, ...outputCases, ...inputCases, ...endingCases, ...execCases, ...fileCases, ...terminalCases,
];

export function describeEnvironment(name: string, make: () => Promise<Made>, options: { readonly cannot?: Partial<Record<Capability, string>> } = {}): void {
  const cannot = new Map(Object.entries(options.cannot ?? {}));
  describe(`${name} environment`, () => {
    let made: Made | undefined;
    let count = 0;
    beforeAll(async () => { made = await make(); });
    afterAll(async () => { await made?.close(); });

    for (const one of allCases) {
      const lacking = one.needs?.find((capability) => cannot.has(capability));
      if (lacking !== undefined) {
        test.skip(`${one.name} [skipped: ${lacking}: ${cannot.get(lacking) ?? ''}]`);
        continue;
      }
      test(one.name, async () => {
        // Each case has a directory of its own: none sees what another left.
        if (made === undefined) throw new Error('the environment was not made');
        const directory = `${made.directory}/case-${count++}`;
        await made.environment.writeFile(`${directory}/.keep`, new Uint8Array());
        await one.run(new Session(made.environment, directory));
      });
    }
  });
}
