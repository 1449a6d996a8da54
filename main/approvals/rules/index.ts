/** All rules, and which of them to try on a command. */
import { agentRules } from './agent.ts';
import { cloudRules } from './cloud.ts';
import { containerRules } from './containers.ts';
import { deleteRules } from './delete.ts';
import { diskRules } from './disk.ts';
import { floorRules } from './floors.ts';
import { gitRules } from './git.ts';
import type { Invocation } from '../parse/model.ts';
import { interpreterRules } from './interpreters.ts';
import { networkRules } from './network.ts';
import { packageRules } from './packages.ts';
import { permissionRules } from './permissions.ts';
import { privilegeRules } from './privilege.ts';
import { remoteCodeRules } from './remote-code.ts';
import { exceptHelp, type Rule } from './rule.ts';
import { serviceRules } from './services.ts';
import { sqlRules } from './sql.ts';
import { systemRules } from './system.ts';
import { unknownRules } from './unknown.ts';
import { windowsRules } from './windows.ts';
import { writeRules } from './writes.ts';

export const RULES: readonly Rule[] = [
  ...floorRules, ...deleteRules, ...diskRules, ...permissionRules, ...sqlRules, ...writeRules, ...serviceRules, ...remoteCodeRules, ...interpreterRules,
  ...exceptHelp([...gitRules, ...containerRules, ...agentRules, ...packageRules]), ...privilegeRules, ...networkRules, ...cloudRules, ...systemRules, ...windowsRules, ...unknownRules,
];

const anywhere = RULES.filter((rule) => rule.programs === 'any');
const withRedirects = RULES.filter((rule) => rule.also === 'redirects');
const withSettings = RULES.filter((rule) => rule.also === 'settings');
const withInput = RULES.filter((rule) => rule.also === 'input');
const byName = new Map<string, Rule[]>();
const byPrefix: [string, Rule][] = [];
for (const rule of RULES) {
  if (rule.programs === 'any') continue;
  for (const program of rule.programs) {
    if (program.endsWith('*')) byPrefix.push([program.slice(0, -1), rule]);
    else byName.set(program, [...(byName.get(program) ?? []), rule]);
  }
}
const prefixes = new RegExp(`^(?:${[...new Set(byPrefix.map(([prefix]) => prefix.replace(/[.\\/]/g, '\\$&')))].join('|')})`);

/** The rules that may have something to say about a command. */
export function rulesFor(command: Invocation): readonly Rule[] {
  const program = command.argv[0]?.text ?? '';
  const own = byName.get(command.name);
  const prefixed = prefixes.test(command.name) || prefixes.test(program);
  const { length: redirects } = command.redirects;
  if (own === undefined && !prefixed && redirects === 0 && command.settings.length === 0 && command.input === undefined) return anywhere;
  const rules = new Set(own);
  if (prefixed) for (const [prefix, rule] of byPrefix) if (command.name.startsWith(prefix) || program.startsWith(prefix)) rules.add(rule);
  if (redirects > 0) for (const rule of withRedirects) rules.add(rule);
  if (command.settings.length > 0) for (const rule of withSettings) rules.add(rule);
  if (command.input !== undefined) for (const rule of withInput) rules.add(rule);
  for (const rule of anywhere) rules.add(rule);
  return [...rules];
}
