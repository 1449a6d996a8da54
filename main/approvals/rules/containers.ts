/** Containers and clusters: other daemons, and stopping or removing what runs. */
import type { Invocation } from '../parse/model.ts';
import { type Option, readOptions, type ReadOptions } from '../parse/options.ts';
import { type Field, isUnknown } from '../parse/text.ts';
import { type Hit, hitCommand, hitField, type Rule } from './rule.ts';

const ENGINES = ['docker', 'podman', 'nerdctl'];

function readEngine(command: Invocation): ReadOptions {
  return readOptions(command.argv, {
    short: 'cHl', flags: 'Dvrh', long: ['config', 'context', 'host', 'log-level', 'tlscacert', 'tlscert', 'tlskey', 'url', 'connection', 'identity', 'namespace', 'address'], longFlags: ['debug', 'tls', 'tlsverify', 'version', 'help', 'remote'],
  });
}

/** Words of the sub-command: `compose -f x stop` gives `stop`, `container kill x` gives `kill`. */
function verb(command: Invocation): { readonly group: string | undefined; readonly word: Field | undefined; readonly rest: readonly Field[] } {
  const { operands } = /compose$/.test(command.name) ? { operands: [...command.argv] } : readEngine(command);
  const [first, ...rest] = operands;
  if (first === undefined) return { group: undefined, word: undefined, rest: [] };
  if (/^(?:docker-|podman-)?compose$/.test(first.text.split('/').at(-1) ?? '')) {
    const inner = readOptions(rest, { short: 'fp', flags: 'DvhH', long: ['file', 'project-name', 'profile', 'env-file', 'project-directory', 'ansi', 'parallel', 'progress'], longFlags: ['compatibility', 'dry-run', 'verbose', 'all-resources'] }, 0);
    return { group: 'compose', word: inner.operands[0], rest: inner.operands.slice(1) };
  }
  if (/^(?:container|context|volume|system|image|network|pod|machine|swarm|service|stack|builder|buildx)$/.test(first.text)) return { group: first.text, word: rest.find((field) => !field.text.startsWith('-')), rest };
  return { group: undefined, word: first, rest };
}

function otherDaemon(command: Invocation): Hit | undefined {
  const { options } = readEngine(command);
  const remote = (option: Option): boolean => {
    if (option.long) return ['host', 'context', 'url', 'connection', 'identity'].includes(option.name) || (command.name === 'podman' && option.name === 'remote');
    return (option.name === 'H' || option.name === 'c') ? option.value !== undefined : option.name === 'r' && command.name === 'podman';
  };
  const option = options.find(remote);
  return option === undefined ? undefined : hitField('talks to another container engine', option.field);
}

const DAEMON_VARIABLES = /^(?:DOCKER_HOST|DOCKER_CONTEXT|CONTAINER_HOST|CONTAINER_CONNECTION)$/;

function daemonVariable(command: Invocation): Hit | undefined {
  const setting = command.settings.find((each) => DAEMON_VARIABLES.test(each.name) && each.value.text !== '');
  if (setting !== undefined) return { effect: 'talks to another container engine', start: setting.start, end: setting.end };
  if (!/^(?:export|declare|typeset|readonly|setx|set)$/.test(command.name)) return undefined;
  const word = command.argv.slice(1).find((field) => DAEMON_VARIABLES.test(field.text.split('=')[0] ?? '') && (/=./.test(field.text) || command.name === 'setx'));
  return word === undefined ? undefined : hitField('sends everything that follows to another container engine', word);
}

function switchesContext(command: Invocation): Hit | undefined {
  const { group, word } = verb(command);
  return group === 'context' && word?.text === 'use' ? hitCommand('sends everything that follows to another container engine', command) : undefined;
}

function stops(command: Invocation): Hit | undefined {
  const { group, word } = verb(command);
  if (word === undefined || group === 'compose' || (group !== undefined && !/^(?:container|pod|machine)$/.test(group))) return undefined;
  return /^(?:restart|stop|kill)$/.test(word.text) ? hitCommand(`${word.text}s running containers`, command) : undefined;
}

function composeStops(command: Invocation): Hit | undefined {
  const { group, word, rest } = verb(command);
  return group === 'compose' && word !== undefined && (/^(?:restart|stop|kill|down)$/.test(word.text) || (word.text === 'rm' && rest.some((field) => /^-\w*s|^--stop$/.test(field.text)))) ? hitCommand(`${word.text}s the services of a project`, command) : undefined;
}

function removesData(command: Invocation): Hit | undefined {
  const { group, word, rest } = verb(command);
  const volumes = group === 'volume' && /^(?:rm|remove|prune)$/.test(word?.text ?? '');
  const everything = group === 'system' && (word?.text === 'prune' || word?.text === 'reset') && (word.text === 'reset' || rest.some((field) => field.text === '--volumes' || /^-\w*a/.test(field.text) || field.text === '--all'));
  const leaves = group === 'swarm' && word?.text === 'leave';
  return volumes || everything || leaves ? hitCommand('removes container data for good', command) : undefined;
}

/** Options of `run` that hand the host over. */
function hostAccess(command: Invocation): Hit | undefined {
  const { word, rest } = verb(command);
  if (word === undefined || !/^(?:run|create|exec)$/.test(word.text)) return undefined;
  for (const [index, field] of rest.entries()) {
    const value = field.text.includes('=') ? field.text.slice(field.text.indexOf('=') + 1) : (rest[index + 1]?.text ?? '');
    if (field.text === '--privileged' && word.text !== 'exec') return hitField('gives the container the whole host', field);
    if (/^(?:-v|--volume)(?:=|$)/.test(field.text) && /^\/(?::|$)|^\/(?:var\/run|run)\/docker\.sock/.test(value)) return hitField('gives the container the whole host', field);
    if (/^--mount(?:=|$)/.test(field.text) && /(?:source|src)=(?:\/(?:,|$)|\/var\/run\/docker\.sock)/.test(value)) return hitField('gives the container the whole host', field);
    if (/^--(?:pid|userns)(?:=|$)/.test(field.text) && value === 'host') return hitField('gives the container the host’s processes', field);
  }
  return undefined;
}

function unknownVerb(command: Invocation): Hit | undefined {
  const { word } = verb(command);
  return word !== undefined && isUnknown(word.text) ? hitField('does something to containers that only the running shell knows', word) : undefined;
}

/** Clusters and infrastructure as code. */
function cluster(command: Invocation): Hit | undefined {
  const texts = command.argv.slice(1).map((field) => field.text);
  const plain = texts.filter((text) => !text.startsWith('-'));
  const dry = texts.some((text) => /^--dry-run(?:=(?:client|server|true))?$/.test(text));
  const destructive = {
    kubectl: /^(?:delete|drain)$/, oc: /^(?:delete|drain)$/, helm: /^(?:uninstall|delete|rollback)$/, terraform: /^destroy$/, tofu: /^destroy$/, pulumi: /^destroy$/, terragrunt: /^destroy$/, vagrant: /^destroy$/, eksctl: /^delete$/, kind: /^delete$/, minikube: /^delete$/,
  }[command.name];
  if (destructive === undefined || dry) return undefined;
  if (plain[0] === 'auth' || plain[0] === 'explain') return undefined;
  const hit = plain.slice(0, 3).some((text) => destructive.test(text)) || (/^(?:terraform|tofu|terragrunt)$/.test(command.name) && plain[0] === 'apply' && texts.some((text) => /^-{1,2}(?:destroy|auto-approve)$/.test(text)));
  return hit ? hitCommand('removes or stops things in a cluster', command) : undefined;
}

const COMPOSE = [...ENGINES, 'docker-compose', 'podman-compose'];
const rule = (key: string, programs: Rule['programs'], pattern: string, test: Rule['test'], tier: Rule['tier'] = 'danger'): Rule => ({ key, class: 'containers', tier, programs, pattern, test });

export const containerRules: readonly Rule[] = [
  rule('docker/podman remote host or context', ENGINES, 'docker -H, --host, -c, --context; podman --url, --connection, --remote', otherDaemon),
  { ...rule('container engine chosen by variable', ['export', 'declare', 'typeset', 'readonly', 'setx', 'set'], 'DOCKER_HOST=, DOCKER_CONTEXT=, CONTAINER_HOST=', daemonVariable), also: 'settings' },
  rule('docker context use', ENGINES, 'docker context use NAME', switchesContext),
  rule('docker restart/stop/kill (container lifecycle)', ENGINES, 'docker restart|stop|kill', stops),
  rule('docker compose restart/stop/kill/down', COMPOSE, 'docker compose restart|stop|kill|down', composeStops),
  rule('container data removal', ENGINES, 'docker volume rm|prune, docker system prune -a', removesData),
  rule('container with access to the host', ENGINES, 'docker run --privileged, -v /:…, docker.sock', hostAccess),
  rule('cluster or infrastructure removal', ['kubectl', 'oc', 'helm', 'terraform', 'tofu', 'pulumi', 'terragrunt', 'vagrant', 'eksctl', 'kind', 'minikube'], 'kubectl delete, helm uninstall, terraform destroy', cluster),
  rule('unknown container command', COMPOSE, 'docker $VERB', unknownVerb, 'unknown'),
];
