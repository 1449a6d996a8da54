/** sudo options that open more than one command. */
import type { Invocation } from '../parse/model.ts';
import { readOptions } from '../parse/options.ts';
import { WRAPPERS } from '../parse/wrappers.ts';
import { type Facts, type Hit, hitField, type Rule } from './rule.ts';

const SUDO = WRAPPERS.get('sudo') ?? {};

function flags(command: Invocation, facts: Facts): Hit | undefined {
  const { options } = readOptions(command.argv, SUDO);
  const reads = facts.place.sudoPasswordSet === true;
  const option = options.find((each) => (each.long ? each.name === 'askpass' || (reads && each.name === 'stdin') : 'Asa'.includes(each.name) || (reads && each.name === 'S')));
  return option === undefined ? undefined : hitField('opens a root shell or takes a password from elsewhere', option.field);
}

export const privilegeRules: readonly Rule[] = [
  { key: 'sudo with privilege flag', class: 'privilege', tier: 'danger', programs: ['sudo'], pattern: 'sudo -A, --askpass, -s, -a (and -S once a password is configured)', test: flags },
];
