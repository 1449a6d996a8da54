/** Windows: cmd, PowerShell and the system's own tools. */
import type { Invocation } from '../parse/model.ts';
import { powershellParameter, powershellText } from '../parse/program-windows.ts';
import { ancestors, type Facts, type Hit, hitCommand, producers, type Rule, substituted, words } from './rule.ts';

const lower = (command: Invocation): string[] => command.argv.slice(1).map((field) => field.text.toLowerCase());
const has = (command: Invocation, pattern: RegExp): boolean => lower(command).some((text) => pattern.test(text));
const given = (command: Invocation, name: string, least: number): boolean => powershellParameter(command.argv.slice(1), name, least) !== undefined;
const inside = (command: Invocation, facts: Facts, names: RegExp): boolean => ancestors(command, facts).some((parent) => names.test(parent.name));

const hitIf = (condition: boolean, effect: string, command: Invocation): Hit | undefined => (condition ? hitCommand(effect, command) : undefined);

const DELETERS = words('del erase rd rmdir remove-item ri rm');

function treeDelete(command: Invocation): Hit | undefined {
  return hitIf(has(command, /^\/[sq](?:\/[sqf])*$/) && command.name !== 'rm', 'deletes files without asking', command);
}

function cmdDelete(command: Invocation, facts: Facts): Hit | undefined {
  return hitIf(inside(command, facts, /^cmd$/) && /^(?:del|erase|rd|rmdir)$/.test(command.name), 'deletes files', command);
}

function powershellDelete(command: Invocation, facts: Facts): Hit | undefined {
  if (inside(command, facts, /^(?:powershell|pwsh)$/)) return hitCommand('deletes files', command);
  // `del`, `rd` and `rmdir` are PowerShell's own names for it too, with PowerShell's parameters.
  if (!/^(?:remove-item|ri)$/.test(command.name)) return hitIf(command.name !== 'rm' && (given(command, 'recurse', command.name === 'rd' || command.name === 'rmdir' ? 1 : 3) || given(command, 'force', 3)), 'deletes a folder and everything below, or protected files', command);
  return hitIf(given(command, 'recurse', 1) || given(command, 'force', 2), 'deletes a folder and everything below, or protected files', command);
}

function encoded(command: Invocation): Hit | undefined {
  const { flag } = powershellText(command.argv);
  return hitIf(flag !== undefined && /^[-/]e/i.test(flag.text), 'runs PowerShell that cannot be read', command);
}

const FETCHERS = /^(?:iwr|irm|curl|wget|invoke-webrequest|invoke-restmethod|new-object|downloadstring|start-bitstransfer)$/;

function runsDownload(command: Invocation, facts: Facts): Hit | undefined {
  const words = lower(command).join(' ');
  const fetched = producers(command, facts).some((each) => FETCHERS.test(each.name)) || substituted(command.argv, facts).some((each) => FETCHERS.test(each.name));
  return hitIf(fetched || /\b(?:iwr|irm|curl|wget|invoke-webrequest|invoke-restmethod|downloadstring|new-object)\b/.test(words), 'runs what is fetched, unseen', command);
}

/** Programs, and the words that make them dangerous. */
const TOOLS: readonly (readonly [string, RegExp | undefined, string, string])[] = [
  ['taskkill', /^[/-]f$/, 'ends processes at once', 'taskkill force'],
  ['clear-disk', undefined, 'erases a disk', 'clear disk'],
  ['diskpart', undefined, 'changes partitions', 'diskpart'],
  ['cipher', /^\/w/, 'wipes free space', 'cipher wipe'],
  ['vssadmin', /^delete$|^resize$/, 'deletes backups', 'delete shadow copies'],
  ['wbadmin', /^delete$/, 'deletes backups', 'delete backup catalog'],
  ['bcdedit', /^\/(?:set|delete|deletevalue|import|create)$/, 'changes how the machine starts', 'boot configuration change'],
  ['reg', /^delete$/, 'deletes from the registry', 'registry delete'],
  ['sc', /^(?:stop|delete|create|config|failure)$/, 'stops, changes or deletes a service', 'stop or delete a Windows service'],
  ['new-service', undefined, 'adds a program that the system starts', 'new Windows service'],
  ['remove-service', undefined, 'deletes a service', 'remove Windows service'],
  ['register-scheduledtask', undefined, 'changes what runs on a schedule', 'new scheduled task'],
  ['unregister-scheduledtask', undefined, 'changes what runs on a schedule', 'remove scheduled task'],
  ['new-localuser', undefined, 'adds a user', 'new Windows user'],
  ['remove-localuser', undefined, 'removes a user', 'remove Windows user'],
  ['add-localgroupmember', undefined, 'gives a user more rights', 'Windows group change'],
  ['uninstall-package', undefined, 'removes installed packages', 'uninstall package'],
  ['uninstall-module', undefined, 'removes installed packages', 'uninstall module'],
  ['remove-appxpackage', undefined, 'removes installed packages', 'remove app package'],
  ['dism', /^\/(?:remove|disable)/, 'removes parts of the system', 'DISM removal'],
  ['manage-bde', /^-(?:off|forcerecovery|lock)$/, 'changes the encryption of a drive', 'BitLocker change'],
  ['netsh', /^(?:set|add|delete|reset)$/, 'changes network or firewall settings', 'netsh change'],
  ['set-netfirewallprofile', undefined, 'changes the firewall', 'firewall change'],
  ['disable-netfirewallrule', undefined, 'changes the firewall', 'firewall rule change'],
  ['set-mppreference', undefined, 'changes what the virus scanner does', 'Defender setting change'],
  ['add-mppreference', undefined, 'changes what the virus scanner does', 'Defender exclusion'],
  ['disable-computerrestore', undefined, 'gives up restore points', 'restore points off'],
  ['clear-eventlog', undefined, 'clears event logs', 'clear Windows event log'],
  ['remove-eventlog', undefined, 'clears event logs', 'remove Windows event log'],
  ['remove-wmiobject', undefined, 'deletes through WMI', 'WMI object removal'],
  ['remove-ciminstance', undefined, 'deletes through WMI', 'CIM instance removal'],
  ['clear-recyclebin', undefined, 'empties the recycle bin', 'empty recycle bin'],
  ['robocopy', /^\/(?:mir|purge|mov|move)$/, 'deletes what the source does not have', 'robocopy that deletes'],
  ['mshta', undefined, 'runs a page as a program', 'mshta'],
  ['regsvr32', /^\/i:|^https?:|^\\\\/, 'runs code from elsewhere', 'regsvr32 with a script'],
  ['rundll32', /^javascript:|^vbscript:|^https?:|^\\\\/, 'runs code from elsewhere', 'rundll32 with a script'],
  ['bitsadmin', /^\/(?:transfer|addfile|setnotifycmdline)$/, 'downloads a file, or runs one when it is there', 'bitsadmin transfer'],
  ['certutil', /^[-/](?:urlcache|verifyctl|decode|decodehex)$/, 'downloads or decodes a file', 'certutil download'],
  ['wmic', /^delete$/, 'deletes through WMI', 'WMI delete'],
  ['wevtutil', /^(?:cl|clear-log)$/, 'clears event logs', 'clear event log'],
  ['fsutil', /^(?:usn|setzerodata)$/, 'changes the file system', 'fsutil change'],
  ['net', /^stop$|^\/delete$|^\/add$/, 'stops services or changes users', 'net stop or user change'],
  ['takeown', /^\/[fr]$/, 'takes ownership of files', 'takeown'],
  ['set-executionpolicy', undefined, 'lets unsigned scripts run', 'execution policy change'],
  ['initialize-disk', undefined, 'erases a disk', 'initialize disk'],
  ['remove-partition', undefined, 'removes a partition', 'remove partition'],
];

function tool(words: RegExp | undefined, effect: string) {
  return (command: Invocation): Hit | undefined => hitIf((words === undefined || has(command, words)) && !has(command, /^\/\?$/), effect, command);
}

function forced(effect: string) {
  return (command: Invocation): Hit | undefined => hitIf(given(command, 'force', command.name === 'kill' ? 3 : 1), effect, command);
}

/** The registry keys that Windows runs programs from at login. Unquoted backslashes may be gone. */
function runKey(command: Invocation): Hit | undefined {
  const writes = command.name !== 'reg' || has(command, /^(?:add|import|copy|restore)$/);
  return hitIf(writes && has(command, /currentversion[\\/]{0,2}(?:run|policies[\\/]{0,2}explorer[\\/]{0,2}run|winlogon)/), 'changes what Windows starts by itself', command);
}

function elevates(command: Invocation): Hit | undefined {
  const at = command.argv.findIndex((field) => /^-verb$/i.test(field.text));
  return hitIf(at !== -1 && /^runas/i.test(command.argv[at + 1]?.text ?? ''), 'asks for administrator rights', command);
}

function acl(command: Invocation): Hit | undefined {
  const texts = lower(command);
  if (texts.some((text) => /^\/reset$/.test(text))) return hitCommand('resets permissions', command);
  const everyone = /(?:everyone|todos|tout le monde|jeder|tutti|iedereen|alla|kaikki|alle|wszyscy|все|全員|所有人|\*?s-1-1-0)(?::|$|")/i;
  return hitIf(texts.some((text) => /^\/grant(?::r)?$/.test(text)) && texts.some((text) => everyone.test(text)), 'lets everyone in', command);
}

const rule = (key: string, programs: readonly string[], pattern: string, test: Rule['test']): Rule => ({ key, class: 'windows', tier: 'danger', programs, pattern, test });

export const windowsRules: readonly Rule[] = [
  rule('Windows del/rd with /s or /q', ['del', 'erase', 'rd', 'rmdir'], 'del|erase|rd|rmdir /s /q', treeDelete),
  rule('Windows cmd delete', ['del', 'erase', 'rd', 'rmdir'], 'cmd /c del|erase|rd|rmdir', cmdDelete),
  rule('PowerShell Remove-Item recursive/force', DELETERS, 'Remove-Item -Recurse|-Force; any delete in powershell', powershellDelete),
  rule('PowerShell encoded command', ['powershell', 'pwsh'], 'powershell -EncodedCommand', encoded),
  rule('PowerShell download and run', ['iex', 'invoke-expression'], 'iwr … | iex, iex (irm …)', runsDownload),
  rule('Windows permission grant to everyone', ['icacls', 'cacls'], 'icacls /grant Everyone, /reset', acl),
  { ...rule('program started at login (registry)', ['reg', 'set-itemproperty', 'new-itemproperty', 'sp', 'set-item', 'new-item'], 'reg add …\\CurrentVersion\\Run', runKey), class: 'persistence' },
  { ...rule('start with administrator rights', ['start-process', 'saps'], 'Start-Process -Verb RunAs', elevates), class: 'privilege' },
  rule('Stop-Process force', ['stop-process', 'spps', 'kill'], 'Stop-Process -Force', forced('ends processes at once')),
  rule('Stop-Service force', ['stop-service', 'spsv'], 'Stop-Service -Force', forced('stops a service')),
  rule('Remove-ItemProperty force', ['remove-itemproperty', 'rp'], 'Remove-ItemProperty -Force', forced('deletes from the registry')),
  ...TOOLS.map(([program, words, effect, key]) => rule(key, [program], `${program} ${words?.source.replace(/[\^$\\]|\(\?:/g, '').replace(/\)/g, '') ?? ''}`.trim(), tool(words, effect))),
];
