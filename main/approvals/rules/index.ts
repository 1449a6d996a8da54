/** All rules, and which of them to try on a command. */
import { agentRules } from './agent.ts';
import { containerRules } from './containers.ts';
import { deleteRules } from './delete.ts';
import { diskRules } from './disk.ts';
import { floorRules } from './floors.ts';
import { gitRules } from './git.ts';
import { interpreterRules } from './interpreters.ts';
import { networkRules } from './network.ts';
import { packageRules } from './packages.ts';
import { permissionRules } from './permissions.ts';
import { privilegeRules } from './privilege.ts';
import { remoteCodeRules } from './remote-code.ts';
import type { Rule } from './rule.ts';
import { serviceRules } from './services.ts';
import { sqlRules } from './sql.ts';
import { unknownRules } from './unknown.ts';
import { windowsRules } from './windows.ts';
import { writeRules } from './writes.ts';

export const RULES: readonly Rule[] = [
  ...floorRules, ...deleteRules, ...diskRules, ...permissionRules, ...sqlRules, ...writeRules, ...serviceRules, ...remoteCodeRules, ...interpreterRules,
  ...gitRules, ...containerRules, ...agentRules, ...privilegeRules, ...packageRules, ...networkRules, ...windowsRules, ...unknownRules,
];

const anywhere = RULES.filter((rule) => rule.programs === 'any');
const byName = new Map<string, Rule[]>();
const byPrefix: [string, Rule][] = [];
for (const rule of RULES) {
  if (rule.programs === 'any') continue;
  for (const program of rule.programs) {
    if (program.endsWith('*')) byPrefix.push([program.slice(0, -1), rule]);
    else byName.set(program, [...(byName.get(program) ?? []), rule]);
  }
}

/** The rules that may have something to say about a program. */
export function rulesFor(name: string): readonly Rule[] {
  const own = byName.get(name) ?? [];
  const prefixed = byPrefix.filter(([prefix]) => name.startsWith(prefix)).map(([, rule]) => rule);
  return [...own, ...prefixed, ...anywhere];
}
