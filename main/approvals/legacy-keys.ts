/**
 * What older entries of `command_allowlist` stand for. Hermes once stored a piece of the matching expression (the text between its first two
 * word borders, or its first 20 characters) and has reworded some descriptions since; both still count (hermes-runtime 4.5).
 */

const KEYS: ReadonlyMap<string, readonly string[]> = new Map([
  [String.raw`rm\s+(-[^\s]*\s+)*/`, ['delete in root path']],
  [String.raw`rm\s+-[^\s]*r`, ['recursive delete']],
  [String.raw`rm\s+--recursive`, ['recursive delete (long flag)']],
  [String.raw`chmod\s+(-[^\s]*\s+)*(777|666|o\+[rwx]*w|a\+[rwx]*w)`, ['world/other-writable permissions']],
  [String.raw`chmod\s+--recursive`, ['world/other-writable permissions']],
  ['recursive world/other-writable (long flag)', ['world/other-writable permissions']],
  [String.raw`chown\s+(-[^\s]*)?R\s+root`, ['recursive chown to root']],
  [String.raw`chown\s+--recursive`, ['recursive chown to root']],
  ['recursive chown to root (long flag)', ['recursive chown to root']],
  [String.raw`dd\s+.*if=`, ['disk copy']],
  [String.raw`DROP\s+(TABLE|DATABASE)`, ['SQL DROP']],
  [String.raw`DELETE\s+FROM`, ['SQL DELETE without WHERE']],
  [String.raw`TRUNCATE\s+(TABLE)?\s*\w`, ['SQL TRUNCATE']],
  [String.raw`>\s*/etc/`, ['overwrite system config']],
  [String.raw`systemctl\s+(stop|disable|mask)`, ['stop/restart system service']],
  [String.raw`systemctl\s+(-[^\s]+\s+)*(stop|restart|disable|mask)`, ['stop/restart system service']],
  ['stop/disable system service', ['stop/restart system service']],
  [String.raw`pkill\s+-9`, ['force kill processes']],
  [String.raw`(bash|sh|zsh|ksh)\s+-[^\s]*c(\s+|$)`, ['shell command via -c/-lc flag']],
  ['shell command via -c flag', ['shell command via -c/-lc flag']],
  [String.raw`(python[23]?|perl|ruby|node)\s+-[ec]\s+`, ['script execution via -e/-c flag']],
  ['(curl|wget)', ['pipe remote content to shell']],
  ['find', ['find -exec/-execdir rm', 'find -delete']],
  ['find -exec rm', ['find -exec/-execdir rm']],
  [String.raw`xargs\s+.*`, ['xargs with rm']],
  ['tee', ['overwrite system file via tee', 'overwrite sensitive file via tee']],
  [String.raw`git\s+reset\s+--hard`, ['git reset --hard (destroys uncommitted changes)']],
  [String.raw`git\s+push`, ['git force push (rewrites remote history)', 'git force push short flag (rewrites remote history)']],
  [String.raw`git\s+clean\s+-[^\s]*f`, ['git clean with force (deletes untracked files)']],
  [String.raw`git\s+branch\s+-D`, ['git branch force delete']],
  [String.raw`chmod\s+\+x`, ['chmod +x followed by immediate execution']],
  ['kill', ['kill process via pgrep expansion']],
  ['Windows cmd destructive delete', ['Windows cmd delete']],
  ['Windows PowerShell destructive delete', ['PowerShell Remove-Item recursive/force']],
  ['PowerShell encoded command execution', ['PowerShell encoded command']],
]);

/** The descriptions that an old entry stands for; empty for an entry that is none. */
export const legacyMeaning = (entry: string): readonly string[] => KEYS.get(entry) ?? [];
