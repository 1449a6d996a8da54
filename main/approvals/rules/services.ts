/** Services and processes. */
import type { Invocation } from '../parse/model.ts';
import { readOptions } from '../parse/options.ts';
import { isUnknown } from '../parse/text.ts';
import { ancestors, asksForHelp, type Facts, type Hit, hitCommand, hitField, producers, type Rule, substituted } from './rule.ts';

const SYSTEMCTL = { short: 'tpPHMnos', long: ['type', 'state', 'property', 'job-mode', 'host', 'machine', 'signal', 'output', 'root', 'lines', 'kill-whom', 'what'], permute: true };

function stopsService(command: Invocation): Hit | undefined {
  const { operands } = readOptions(command.argv, SYSTEMCTL);
  const verb = operands[0];
  if (verb === undefined || asksForHelp(command)) return undefined;
  if (isUnknown(verb.text)) return hitField('does something to a service that only the running shell knows', verb);
  return /^(?:stop|restart|disable|mask|kill|try-restart|reload-or-restart|condrestart|force-reload|isolate|rescue|emergency|default)$/.test(verb.text) ? hitCommand(`${verb.text}s ${operands.slice(1).map((field) => field.text).join(', ') || 'a service'}`, command) : undefined;
}

function stopsInitService(command: Invocation): Hit | undefined {
  const verb = command.argv.slice(1).find((field) => /^(?:stop|restart|force-reload)$/.test(field.text));
  const isScript = /^\/etc\/(?:rc\.d\/)?init\.d\//.test(command.argv[0]?.text ?? '');
  if (verb === undefined || (command.name !== 'service' && command.name !== 'rc-service' && !isScript)) return undefined;
  return hitCommand(`${verb.text}s a service`, command);
}

/** The signal that `pkill` or `killall` is told to send. */
function forces(command: Invocation): Hit | undefined {
  const rest = command.argv.slice(1);
  for (const [index, field] of rest.entries()) {
    const next = rest[index + 1]?.text ?? '';
    const { text } = field;
    if (/^-(?:9|kill|sigkill)$/i.test(text)) return hitCommand('ends processes at once, without saving', command);
    if (/^(?:-s|-n|--signal)$/.test(text) && /^(?:9|kill|sigkill)$/i.test(next)) return hitCommand('ends processes at once, without saving', command);
    if (/^(?:--signal=|-s)(?:9|kill|sigkill)$/i.test(text)) return hitCommand('ends processes at once, without saving', command);
    if (command.name === 'killall' && (/^-[A-Za-z]*r[A-Za-z]*$/.test(text) && !/^-[A-Z]{3,}$/.test(text) || text === '--regexp')) return hitCommand('ends every process whose name fits a pattern', command);
  }
  return undefined;
}

function stopsSupervised(command: Invocation): Hit | undefined {
  const verb = command.argv.slice(1).find((field) => !field.text.startsWith('-'));
  return verb !== undefined && /^(?:stop|restart|shutdown|remove|down|d|k|t|x)$/.test(verb.text) ? hitCommand(`${verb.text}s a supervised service`, command) : undefined;
}

/** A unit file from anywhere becomes something that the system starts. */
function installsUnit(command: Invocation): Hit | undefined {
  const { operands } = readOptions(command.argv, SYSTEMCTL);
  const [verb, ...units] = operands;
  const unit = verb?.text === 'link' ? units[0] : verb?.text === 'edit' ? verb : units.find((field) => field.text.includes('/'));
  return verb !== undefined && unit !== undefined && !asksForHelp(command) && /^(?:enable|link|reenable|edit)$/.test(verb.text) ? hitCommand('changes what the system starts by itself', command) : undefined;
}

const FINDERS = /^(?:pgrep|pidof)$/;

function killsFound(command: Invocation, facts: Facts): Hit | undefined {
  const found = substituted(command.argv, facts).find((each) => FINDERS.test(each.name));
  if (found !== undefined) return hitCommand('ends every process that a search finds', command);
  const throughXargs = ancestors(command, facts).some((parent) => /xargs$|^parallel$/.test(parent.name));
  return throughXargs && producers(command, facts).some((each) => FINDERS.test(each.name)) ? hitCommand('ends every process that a search finds', command) : undefined;
}

function killsAgent(command: Invocation, facts: Facts): Hit | undefined {
  if (command.name === 'kill') {
    const reads = substituted(command.argv, facts).some((each) => each.argv.slice(1).some((field) => /\bhermes\b|\btalaria\b/i.test(field.text)));
    return reads ? hitCommand('ends the agent itself', command) : undefined;
  }
  const word = command.argv.slice(1).find((field) => /\bhermes|\bgateway\b|\bcli\.py\b|\btalaria\b/i.test(field.text));
  return word === undefined ? undefined : hitField('ends the agent itself', word);
}

/** What each program that steers other machines is told so that one stops, restarts or is wiped; matched on its words joined by blanks. */
const MACHINES: ReadonlyMap<string, RegExp> = new Map([
  ['adb', /^(?:reboot|reboot-bootloader|uninstall|disable-verity)\b/],
  ['fastboot', /^(?:reboot|reboot-bootloader|continue|flash|flashall|erase|format|update|oem|flashing)\b/],
  ['ipmitool', /\bpower (?:off|cycle|reset|soft|diag)\b/],
  ['virsh', /^(?:destroy|undefine|shutdown|reboot|reset)\b/],
  ['vboxmanage', /^controlvm \S+ (?:poweroff|reset|acpipowerbutton)\b|^unregistervm\b/],
  ['idevicediagnostics', /^(?:restart|shutdown|sleep)\b/],
  ['qm', /^(?:stop|destroy|reboot|reset|shutdown)\b/], ['pct', /^(?:stop|destroy|reboot|shutdown)\b/],
]);

function steersMachine(command: Invocation): Hit | undefined {
  if (asksForHelp(command)) return undefined;
  if (command.name === 'wsl') return command.argv.slice(1, 3).some((field) => /^(?:--shutdown|--terminate|-t|--unregister)$/.test(field.text)) ? hitCommand('stops or removes a Linux machine', command) : undefined;
  const { operands } = readOptions(command.argv, { short: 'stHPLcIUp', long: ['connect', 'udid'] });
  return MACHINES.get(command.name)?.test(operands.map((field) => field.text).join(' ')) === true ? hitCommand('stops, restarts or wipes another machine', command) : undefined;
}

export const serviceRules: readonly Rule[] = [
  { key: 'stop/restart system service', class: 'services', tier: 'danger', programs: ['systemctl'], pattern: 'systemctl stop|restart|disable|mask', test: stopsService },
  { key: 'stop/restart service (init)', class: 'services', tier: 'danger', programs: ['service', 'rc-service', '/etc/init.d/*'], pattern: 'service NAME stop, /etc/init.d/NAME stop', test: stopsInitService },
  { key: 'stop/restart supervised service', class: 'services', tier: 'danger', programs: ['supervisorctl', 'sv', 's6-svc'], pattern: 'supervisorctl stop|restart|shutdown, sv down', test: stopsSupervised },
  { key: 'unit file made to start', class: 'persistence', tier: 'danger', programs: ['systemctl'], pattern: 'systemctl enable ./x.service, systemctl link, systemctl edit', test: installsUnit },
  { key: 'power of another machine', class: 'power', tier: 'danger', programs: [...MACHINES.keys(), 'wsl'], pattern: 'adb reboot, fastboot flash, ipmitool power off, virsh destroy, wsl --unregister', test: steersMachine },
  { key: 'force kill processes', class: 'processes', tier: 'danger', programs: ['pkill', 'killall', 'skill', 'slay'], pattern: 'pkill -9, killall -9, killall -r', test: forces },
  { key: 'kill process via pgrep expansion', class: 'processes', tier: 'danger', programs: ['kill'], pattern: 'kill $(pgrep …), kill $(pidof …)', test: killsFound },
  { key: 'kill hermes/gateway process', class: 'agent-self', tier: 'danger', programs: ['pkill', 'killall', 'kill'], pattern: 'pkill|killall hermes, gateway, cli.py, kill $(cat …hermes….pid)', test: killsAgent },
];
