/** Removing installed packages. */
import type { Invocation } from '../parse/model.ts';
import { type Hit, hitCommand, type Rule, words } from './rule.ts';

/** Verbs that remove, by package manager (npm takes any beginning of one); the options in front of the verb may take one value each. */
const VERBS: ReadonlyMap<string, RegExp> = new Map([
  ...words('npm').map((name): [string, RegExp] => [name, /^(?:un|uni|unin|unins|uninst|uninsta|uninstal|uninstall|unl|unli|unlin|unlink|rem|remo|remov|remove|rm|r)$/]),
  ...words('pnpm yarn bun').map((name): [string, RegExp] => [name, /^(?:remove|rm|uninstall|un)$/]),
  ...words('pip pip3 pipx conda mamba micromamba').map((name): [string, RegExp] => [name, /^(?:uninstall|remove|uninstall-all)$/]),
  ...words('uv poetry pdm composer').map((name): [string, RegExp] => [name, /^(?:remove|uninstall)$/]),
  ...words('brew').map((name): [string, RegExp] => [name, /^(?:uninstall|remove|rm|autoremove)$/]),
  ...words('apt apt-get aptitude dnf yum zypper microdnf').map((name): [string, RegExp] => [name, /^(?:remove|purge|autoremove|erase|rm)$/]),
  ...words('apk snap flatpak winget choco scoop gem cargo opam dpkg rpm port pkg').map((name): [string, RegExp] => [name, /^(?:del|delete|remove|uninstall|purge|-r|-P|-e|--remove|--purge|--erase)$/]),
  ...words('pacman yay paru').map((name): [string, RegExp] => [name, /^-R/]),
]);

function removes(command: Invocation): Hit | undefined {
  let { argv } = command;
  let name = command.name.replace(/^pip[\d.]+$/, 'pip');
  if (/^(?:python|pypy|py)[\d.]*$/.test(name)) {
    const module = argv.findIndex((field) => field.text === '-m');
    const called = argv[module + 1]?.text ?? '';
    if (module === -1 || !/^(?:pip|pipx|conda|uv|poetry)$/.test(called)) return undefined;
    name = called;
    argv = argv.slice(module + 1);
  }
  const verbs = VERBS.get(name);
  if (verbs === undefined) return undefined;
  const rest = argv.slice(1);
  if (rest.some((field) => /^--(?:dry-run|simulate|just-print|no-act|recon)$/.test(field.text) || (/^apt(?:-get|itude)?$/.test(name) && field.text === '-s'))) return undefined;
  let options = 0;
  for (const field of rest) {
    const { text } = field;
    if (verbs.test(text)) return hitCommand(`removes installed packages with ${name}`, command);
    if (text === '--') return undefined;
    if (text.startsWith('-')) options++;
    // `yarn workspace NAME remove`, `yarn global remove`, `uv pip uninstall`, `npm --prefix DIR rm`
    else if (options > 0 && !/^(?:run|exec|install|add|test|start|ci)$/.test(text)) options--;
    else if (/^(?:workspace|workspaces|global|pip|tool|foreach|cask|self)$/.test(text)) options = Math.max(options, text === 'workspace' ? 1 : 0);
    else return undefined;
  }
  return undefined;
}

export const packageRules: readonly Rule[] = [
  { key: 'package removal', class: 'packages', tier: 'danger', programs: [...VERBS.keys(), 'pip*', 'python*', 'pypy*', 'py'], pattern: 'npm uninstall|remove|rm|r|un, pnpm/yarn remove, pip uninstall, brew uninstall, apt remove…', test: removes },
];
