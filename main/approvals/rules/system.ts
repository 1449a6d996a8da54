/** Settings of the whole machine that programs change without a file on the command line. */
import type { Invocation } from '../parse/model.ts';
import { type Hit, hitCommand, type Rule } from './rule.ts';

interface Setter {
  readonly effect: string;
  /** A word that makes the call a change; any word that is no option when absent. */
  readonly when?: RegExp;
  /** Words that make it a question only. */
  readonly asks?: RegExp;
}

const HELP = /^(?:--help|--version|-h|-V)$/;
const USERS: Setter = { effect: 'changes who may use this machine' };

const SETTERS: ReadonlyMap<string, Setter> = new Map<string, Setter>([
  ['sysctl', { effect: 'changes a setting of the kernel', when: /^(?:-\w*w|--write|-\w*p|--load(?:=.*)?|--system)$|^[\w./-]+=/ }],
  ['iptables', { effect: 'changes the firewall', when: /^(?:-[ADIRFXPZN]|--(?:append|delete|insert|replace|flush|delete-chain|policy|zero|new-chain))$/ }],
  ['ip6tables', { effect: 'changes the firewall', when: /^(?:-[ADIRFXPZN]|--(?:append|delete|insert|replace|flush|delete-chain|policy))$/ }],
  ['nft', { effect: 'changes the firewall', when: /^(?:add|insert|delete|flush|destroy|replace|-f|--file)$/ }],
  ['ufw', { effect: 'changes the firewall', when: /^(?:enable|disable|reset|allow|deny|reject|limit|delete|default)$/ }],
  ['firewall-cmd', { effect: 'changes the firewall', when: /^--(?:add|remove|set|panic-on|reload|complete-reload)/ }],
  ['setenforce', { effect: 'changes the protection of the system' }],
  ['spctl', { effect: 'changes the protection of the system', when: /^--(?:master-|global-)?disable$|^--(?:add|remove)$/ }],
  ['csrutil', { effect: 'changes the protection of the system', when: /^(?:disable|clear|authenticated-root)$/ }],
  ['useradd', USERS], ['adduser', USERS], ['userdel', USERS], ['deluser', USERS], ['groupadd', USERS], ['groupdel', USERS], ['delgroup', USERS],
  ['usermod', { ...USERS, when: /^(?:sudo|wheel|root|admin|adm|shadow|disk|0)(?:,|$)|^-\w*[Lulspe]$|^--(?:lock|unlock|login|shell|password|uid|home)/ }],
  ['gpasswd', { ...USERS, when: /^-/ }],
  ['chpasswd', { ...USERS, when: /^/ }],
  ['passwd', { ...USERS, asks: /^(?:-S|--status)$/ }],
  ['dscl', { ...USERS, when: /^-(?:create|delete|append|passwd|change)$/ }],
  ['visudo', { effect: 'changes who may act as root', when: /^/, asks: /^(?:-c|--check)$/ }],
  ['vipw', { ...USERS, when: /^/ }],
  ['update-alternatives', { effect: 'changes which program the system uses', when: /^--(?:set|install|remove|remove-all|set-selections)$/ }],
  ['scutil', { effect: 'changes a setting of the system', when: /^--set$/ }],
  ['nvram', { effect: 'changes what the machine starts with', when: /=|^-[cdf]$/ }],
  ['efibootmgr', { effect: 'changes what the machine starts with', when: /^-\w*[bBcaAnotTlD]|^--/ }],
  ['grub-install', { effect: 'changes what the machine starts with' }],
]);

function changes(command: Invocation): Hit | undefined {
  const setter = SETTERS.get(command.name);
  if (setter === undefined) return undefined;
  const words = command.argv.slice(1).map((field) => field.text);
  if (words.some((word) => HELP.test(word) || setter.asks?.test(word) === true)) return undefined;
  const matches = setter.when ?? /^[^-]/;
  return words.some((word) => matches.test(word)) || matches.test('') ? hitCommand(setter.effect, command) : undefined;
}

export const systemRules: readonly Rule[] = [
  { key: 'change of a system setting', class: 'system-config', tier: 'danger', programs: [...SETTERS.keys()], pattern: 'sysctl -w, iptables -F, ufw disable, setenforce, useradd, passwd, visudo…', test: changes },
];
