/** The agent and its gateway: commands that would stop, restart or replace what is running them. */
import type { Invocation } from '../parse/model.ts';
import { type Field } from '../parse/text.ts';
import { ancestors, type Facts, type Hit, hitCommand, type Rule } from './rule.ts';

/** Words of hermes that are no options; a word behind an option may be its value, so a verb may come second. */
function verbs(command: Invocation): Field[] {
  const argv = command.argv.slice(command.name.startsWith('python') ? 3 : 1);
  return argv.filter((field) => !field.text.startsWith('-')).slice(0, 4);
}

const isHermes = (command: Invocation): boolean =>
  command.name === 'hermes' || command.name === 'hermes-gateway' || (/^python/.test(command.name) && command.argv[1]?.text === '-m' && /^hermes/.test(command.argv[2]?.text ?? ''));

/** The sub-command of `hermes gateway`, if the command is that. */
function gatewayVerb(command: Invocation): string | undefined {
  if (!isHermes(command)) return undefined;
  const words = verbs(command);
  const at = words.findIndex((field) => field.text === 'gateway');
  const options = command.argv.filter((field) => field.text.startsWith('-')).length;
  return at === -1 || at > options ? undefined : words[at + 1]?.text;
}

function stopsGateway(command: Invocation): Hit | undefined {
  return /^(?:stop|restart|uninstall)$/.test(gatewayVerb(command) ?? '') ? hitCommand('stops or restarts the gateway, and the agents in it', command) : undefined;
}

function updates(command: Invocation): Hit | undefined {
  if (!isHermes(command)) return undefined;
  const [first, second] = verbs(command);
  const hasOption = command.argv[1]?.text.startsWith('-') === true;
  return first?.text === 'update' || (hasOption && second?.text === 'update') ? hitCommand('replaces the agent that is running', command) : undefined;
}

function secondGateway(command: Invocation, facts: Facts): Hit | undefined {
  if (!/^(?:run|start)$/.test(gatewayVerb(command) ?? '')) return undefined;
  const detached = command.background || ancestors(command, facts).some((parent) => /^(?:nohup|setsid|screen|tmux|daemonize|start-stop-daemon)$/.test(parent.name)) || facts.all.some((each) => each.name === 'disown' && each.index > command.index);
  return detached && gatewayVerb(command) === 'run' ? hitCommand('starts a second gateway outside its service', command) : undefined;
}

function launchctl(command: Invocation): Hit | undefined {
  const acts = command.argv.slice(1, 3).some((field) => /^(?:stop|kickstart|bootout|unload|kill|disable|remove)$/.test(field.text));
  const names = command.argv.some((field) => /hermes|talaria/i.test(field.text));
  return acts && names ? hitCommand('stops or restarts the agent’s service', command) : undefined;
}

const rule = (key: string, programs: Rule['programs'], pattern: string, test: Rule['test']): Rule => ({ key, class: 'agent-self', tier: 'danger', programs, pattern, test });
const HERMES = ['hermes', 'hermes-gateway', 'python', 'python3'];

export const agentRules: readonly Rule[] = [
  rule('stop/restart hermes gateway (kills running agents)', HERMES, 'hermes [flags] gateway stop|restart', stopsGateway),
  rule('hermes update (restarts gateway, kills running agents)', HERMES, 'hermes update', updates),
  rule('start gateway outside its service', HERMES, 'hermes gateway run &, nohup hermes gateway run', secondGateway),
  rule('launchctl on the hermes service', ['launchctl'], 'launchctl stop|kickstart|bootout|… …hermes…', launchctl),
];
