/** Writing to system, shell, credential and project files, and to places that are run later. */
import type { Invocation } from '../parse/model.ts';
import { type Sensitive, sensitiveTarget } from './paths.ts';
import { type Facts, type Hit, hitCommand, hitField, type Rule, shown } from './rule.ts';
import { WRITERS, type WriteTarget, writeTargets } from './targets.ts';

function writes(kinds: readonly Sensitive[], ways: readonly WriteTarget['how'][], effect: (path: string) => string) {
  return (command: Invocation, { place }: Facts): Hit | undefined => {
    if (command.redirects.length === 0 && command.argv.length < 2) return undefined;
    for (const { field, how } of writeTargets(command)) {
      if (!ways.includes(how)) continue;
      const kind = sensitiveTarget(field.text, command, place);
      if (kind !== undefined && kinds.includes(kind)) return hitField(effect(shown(field.text)), field);
    }
    return undefined;
  };
}

const rule = (key: string, cls: Rule['class'], pattern: string, test: Rule['test']): Rule => ({ key, class: cls, tier: 'danger', programs: WRITERS, also: 'redirects', pattern, test });
const changes = (what: string) => (path: string): string => `changes ${what}: ${path}`;

/** Keys and passwords that programs keep themselves. */
const KEY_STORES: ReadonlyMap<string, RegExp> = new Map([
  ['gpg', /^--delete-(?:secret-keys?|secret-and-public-keys?|keys?)$/], ['gpg2', /^--delete-(?:secret-keys?|secret-and-public-keys?|keys?)$/],
  ['security', /^(?:delete-|add-trusted-cert|set-key|dump-keychain|find-(?:generic|internet)-password)/], ['ssh-copy-id', /^[^-]/], ['secret-tool', /^(?:clear|lookup)$/], ['keyctl', /^(?:clear|revoke|purge)$/], ['certutil', /^-(?:addstore|delstore|importpfx)$/i], ['cmdkey', /^\/(?:add|delete)/i],
]);

function keyStore(command: Invocation): Hit | undefined {
  const word = command.argv.slice(1).find((field) => KEY_STORES.get(command.name)?.test(field.text) === true);
  return word === undefined ? undefined : hitCommand('reads out, changes or removes keys', command);
}

/** A crontab that is replaced, edited or removed. */
function crontab(command: Invocation): Hit | undefined {
  const rest = command.argv.slice(1).map((field) => field.text);
  if (rest.some((text) => /^-\w*l\w*$/.test(text)) || rest.some((text) => /^--(?:help|version)$|^-[hV]$/.test(text))) return undefined;
  const feeds = command.input !== undefined || rest.some((text) => /^-\w*[re]/.test(text)) || rest.some((text) => !text.startsWith('-') || text === '-');
  return feeds ? hitCommand('changes what runs on a schedule', command) : undefined;
}

function schedules(command: Invocation): Hit | undefined {
  const rest = command.argv.slice(1).map((field) => field.text.toLowerCase());
  if (command.name === 'schtasks') return rest.some((text) => /^\/(?:create|change|delete)$/.test(text)) ? hitCommand('changes what runs on a schedule', command) : undefined;
  if (command.name === 'launchctl') return rest.some((text) => /^(?:load|bootstrap|submit)$/.test(text)) ? hitCommand('adds a program that the system starts', command) : undefined;
  if (rest.some((text) => /^-(?:l|r|c|d|v)$|^--(?:help|version)$/.test(text)) || rest.length === 0) return undefined;
  return hitCommand('runs commands later', command);
}

export const writeRules: readonly Rule[] = [
  rule('overwrite system config', 'system-config', '> or >> to /etc, /private/etc, /boot…', writes(['system'], ['redirection'], changes('a system file'))),
  rule('overwrite system file via tee', 'system-config', 'tee into /etc…', writes(['system'], ['tee'], changes('a system file'))),
  rule('copy/move file into system config path', 'system-config', 'cp, mv, install, ln, rsync into /etc…', writes(['system'], ['copy', 'other'], changes('a system file'))),
  rule('in-place edit of system config', 'system-config', 'sed -i on /etc…', writes(['system'], ['edit'], changes('a system file'))),
  rule('overwrite sensitive file via redirection', 'credentials', '> or >> to ~/.ssh, ~/.netrc, ~/.npmrc…', writes(['credentials'], ['redirection'], changes('keys or credentials'))),
  rule('overwrite sensitive file via tee', 'credentials', 'tee into ~/.ssh, ~/.netrc…', writes(['credentials'], ['tee'], changes('keys or credentials'))),
  rule('copy/move file into sensitive path', 'credentials', 'cp, mv, install into ~/.ssh…', writes(['credentials'], ['copy', 'other'], changes('keys or credentials'))),
  rule('in-place edit of sensitive file', 'credentials', 'sed -i on ~/.ssh/config…', writes(['credentials'], ['edit'], changes('keys or credentials'))),
  rule('overwrite shell startup file', 'persistence', '>, >>, tee, cp, mv, sed -i on ~/.bashrc, ~/.zshrc, ~/.profile…', writes(['shell'], ['redirection', 'tee', 'copy', 'edit', 'other'], changes('what every new shell runs'))),
  rule('overwrite start-up file of a program', 'persistence', '>, >>, tee, cp, mv, sed -i on ~/.vimrc, ~/.tmux.conf, ~/.gdbinit, ~/.curlrc…', writes(['start-up'], ['redirection', 'tee', 'copy', 'edit', 'other'], changes('what a program does when it starts'))),
  rule('overwrite agent configuration', 'agent-self', 'writing ~/.hermes/config.yaml, ~/.hermes/.env', writes(['agent'], ['redirection', 'tee', 'copy', 'edit', 'other'], changes('the settings of this app'))),
  rule('overwrite project env/config via redirection', 'system-config', '> or >> to .env, .env.*, config.yaml', writes(['project'], ['redirection'], changes('project settings'))),
  rule('overwrite project env/config via tee', 'system-config', 'tee into .env, config.yaml', writes(['project'], ['tee'], changes('project settings'))),
  rule('copy/move file over project env/config', 'system-config', 'cp, mv, install onto .env, config.yaml', writes(['project'], ['copy'], changes('project settings'))),
  rule('change of what runs by itself', 'persistence', 'writing cron, systemd, autostart or LaunchAgent files', writes(['persistence'], ['redirection', 'tee', 'copy', 'edit', 'other'], changes('what the system starts by itself'))),
  rule('change of git hooks or config', 'persistence', 'writing .git/hooks/…, .git/config, ~/.gitconfig', writes(['git-hook'], ['redirection', 'tee', 'copy', 'edit', 'other'], changes('what git runs'))),
  { key: 'change in a key store', class: 'credentials', tier: 'danger', programs: [...KEY_STORES.keys()], pattern: 'gpg --delete-secret-keys, security delete-…, ssh-copy-id', test: keyStore },
  { key: 'crontab change', class: 'persistence', tier: 'danger', programs: ['crontab'], pattern: 'crontab FILE, crontab -, crontab -r', test: crontab },
  { key: 'scheduled command', class: 'persistence', tier: 'danger', programs: ['at', 'batch', 'schtasks', 'launchctl'], pattern: 'at, batch, schtasks /create, launchctl load', test: schedules },
];
