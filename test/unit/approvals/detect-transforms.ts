/* eslint-disable no-template-curly-in-string -- shell text is full of ${…} that is not ours */
/** Ways to write, wrap, quote and space a command that do not change what it does. */

export interface Transform {
  readonly name: string;
  /** The other spelling; undefined where this transform does not fit the text. */
  readonly apply: (command: string) => string | undefined;
}

/** One word for the shell, whatever the text. */
export const quoted = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;

const KEYWORDS = /^(?:if|then|else|elif|fi|for|while|until|do|done|case|esac|select|function|time|coproc|in|export|declare|local|readonly|typeset|alias|trap|set|unset|cd|eval|exec|source|shift|return|break|continue|let|read|printf|true|false|test)$/;

/** A line that is one plain command: nothing in it that a shell would read as more than words. */
const isSimple = (command: string): boolean => /^[a-z][\w.-]*(?: [^;&|<>()\n`{}!#\t]*)?$/.test(command) && !KEYWORDS.test(command.split(' ')[0] ?? '');
/** Words without any quoting or expansion. */
const isPlain = (command: string): boolean => isSimple(command) && /^[\w ./:=@%+,-]+$/.test(command);

const line = (name: string, make: (command: string) => string): Transform => ({ name, apply: make });
/** A function has arguments of its own: a line that uses the shell's would mean something else in it. */
const inFunction = (name: string, make: (command: string) => string): Transform => ({ name, apply: (command) => (/\$\{?[@*#\d]/.test(command) ? undefined : make(command)) });
const prefix = (words: string): Transform => ({ name: `${words} …`, apply: (command) => (isSimple(command) ? `${words} ${command}` : undefined) });
const firstWord = (name: string, make: (word: string, rest: string) => string): Transform => ({
  name,
  apply: (command) => {
    if (!isSimple(command)) return undefined;
    const [word = '', ...rest] = command.split(' ');
    return make(word, rest.length === 0 ? '' : ` ${rest.join(' ')}`);
  },
});
const words = (name: string, make: (word: string, index: number) => string): Transform => ({
  name,
  apply: (command) => (isPlain(command) ? command.split(' ').map((word, index) => (word === '' ? word : make(word, index))).join(' ') : undefined),
});

/** Wrappers that put the command into a string of another language, where quotes of its own would end it. */
const embedded = (name: string, make: (command: string) => string): Transform => ({ name, apply: (command) => (isPlain(command) ? make(command) : undefined) });

export const TRANSFORMS: readonly Transform[] = [
  line('subshell', (c) => `(${c}\n)`),
  line('brace group', (c) => `{ ${c}\n}`),
  line('after a command', (c) => `echo start; ${c}`),
  line('on the next line', (c) => `echo start\n${c}`),
  line('after &&', (c) => `true && { ${c}\n}`),
  line('after ||', (c) => `false || { ${c}\n}`),
  line('before another line', (c) => `${c}\necho end`),
  line('leading spaces', (c) => `   ${c}`),
  line('trailing newline', (c) => `${c}\n`),
  line('if body', (c) => `if true; then ${c}\nfi`),
  line('else body', (c) => `if false; then :; else ${c}\nfi`),
  line('for body', (c) => `for i in 1 2; do ${c}\ndone`),
  line('while body', (c) => `while true; do ${c}\nbreak; done`),
  line('case body', (c) => `case x in x) ${c}\n;; esac`),
  inFunction('function', (c) => `work() { ${c}\n}; work`),
  line('command substitution', (c) => `echo "$(${c}\n)"`),
  line('substitution in an assignment', (c) => `v=$(${c}\n)`),
  line('process substitution', (c) => `cat <(${c}\n)`),
  line('test', (c) => `[[ -n $(${c}\n) ]]`),
  line('negated', (c) => `! { ${c}\n}`),
  line('timed', (c) => `time { ${c}\n}`),
  line('into a pipe', (c) => `{ ${c}\n} | cat`),
  line('in the background', (c) => `{ ${c}\n} &`),
  line('output kept', (c) => `{ ${c}\n} > out.log 2>&1`),
  line('sh -c', (c) => `sh -c ${quoted(c)}`),
  line('bash -lc', (c) => `bash -lc ${quoted(c)}`),
  line('env bash -c', (c) => `/usr/bin/env bash -c ${quoted(c)}`),
  line('sudo sh -c', (c) => `sudo sh -c ${quoted(c)}`),
  line('eval', (c) => `eval ${quoted(c)}`),
  line('trap', (c) => `trap ${quoted(c)} EXIT`),
  line('heredoc to a shell', (c) => `bash <<'TRANSFORMED_${String(c.length)}'\n${c}\nTRANSFORMED_${String(c.length)}`),
  line('here-string to a shell', (c) => `bash <<< ${quoted(c)}`),
  line('printed into a shell', (c) => `printf '%s' ${quoted(c)} | sh`),
  line('ssh', (c) => `ssh web1 ${quoted(c)}`),
  line('su -c', (c) => `su - deploy -c ${quoted(c)}`),
  line('watch', (c) => `watch -n 5 ${quoted(c)}`),
  line('script -c', (c) => `script -qc ${quoted(c)} /dev/null`),
  line('flock -c', (c) => `flock /tmp/lock -c ${quoted(c)}`),
  line('docker exec sh -c', (c) => `docker exec -i web sh -c ${quoted(c)}`),
  line('find -exec sh -c', (c) => `find . -exec sh -c ${quoted(c)} \\;`),
  line('git shell alias', (c) => `git -c alias.x=${quoted(`!${c}`)} x`),
  line('from a variable', (c) => `script=${quoted(c)}; eval "$script"`),
  line('elif body', (c) => `if false; then :; elif true; then ${c}\nfi`),
  line('until body', (c) => `until false; do ${c}\nbreak; done`),
  line('body that another runs on into', (c) => `case x in x) : ;& y) ${c}\n;; esac`),
  line('coprocess', (c) => `coproc { ${c}\n}`),
  line('arithmetic', (c) => `(( 1 + $(${c}\n) ))`),
  line('offset of an expansion', (c) => `echo "\${v:$(${c}\n):1}"`),
  line('replacement of an expansion', (c) => `echo "\${v/a/$(${c}\n)}"`),
  inFunction('function called in a function', (c) => `inner() { ${c}\n}; outer() { inner; }; outer`),
  line('heredoc into source', (c) => `source /dev/stdin <<'TRANSFORMED_${String(c.length)}'\n${c}\nTRANSFORMED_${String(c.length)}`),
  line('typed into tmux', (c) => `tmux send-keys -t main ${quoted(c)} Enter`),
  line('xargs sh -c', (c) => `echo x | xargs -n 1 sh -c ${quoted(c)}`),
  line('env -S', (c) => `env -S ${quoted(`sh -c ${quoted(c)}`)}`),
  line('parallel', (c) => `parallel ::: ${quoted(c)}`),
  line('at', (c) => `at now <<< ${quoted(c)}`),
  line('npm exec -c', (c) => `npm exec -c ${quoted(c)}`),
  line('git rebase -x', (c) => `git rebase -x ${quoted(c)} main`),
  line('tar checkpoint action', (c) => `tar -cf a.tar --checkpoint=1 --checkpoint-action=exec=${quoted(`sh -c ${quoted(c)}`)} .`),
  line('hyperfine', (c) => `hyperfine ${quoted(c)}`),
  embedded('awk system', (c) => `awk 'BEGIN { system("${c}") }'`),
  embedded('python os.system', (c) => `python3 -c 'import os; os.system("${c}")'`),
  embedded('perl system', (c) => `perl -e 'system("${c}")'`),
  embedded('node execSync', (c) => `node -e 'require("child_process").execSync("${c}")'`),
  embedded('vim bang', (c) => `vim -c '!${c}' -c q`),
  embedded('recipe of a makefile', (c) => `make -f - <<'M'\nall:\n\t${c}\nM`),
  prefix('sudo -n'), prefix('sudo -u deploy --'), prefix('doas'), prefix('env A=b'), prefix('env -u A'), prefix('nohup'), prefix('setsid -w'), prefix('nice -n 5'), prefix('ionice -c 3'),
  prefix('timeout -k 5 30'), prefix('stdbuf -oL'), prefix('command'), prefix('busybox'), prefix('chrt -b 0'), prefix('taskset -c 0'), prefix('xargs -I% '), prefix('ssh -p 22 web1'), prefix('A=b'),
  prefix('unshare -r'), prefix('flock /tmp/lock'), prefix('docker run --rm alpine'), prefix('kubectl exec web -- '), prefix('systemd-run --user'), prefix('find . -maxdepth 1 -exec'), prefix('time -f %e'), prefix('direnv exec .'), prefix('strace -f'), prefix('docker compose exec -T web'), prefix('uv run'), prefix('entr -r'), prefix('setpriv --reuid=0'),
  firstWord('program carried over by a loop', (word, rest) => `c=true; for i in 1 2; do $c${rest}; c=${word}; done`),
  firstWord('program that a list may have replaced', (word, rest) => `c=${word}; false && c=true; $c${rest}`),
  firstWord('program that a subshell seems to replace', (word, rest) => `c=${word}; (c=true); $c${rest}`),
  firstWord('program that a local seems to replace', (word, rest) => `c=${word}; f() { local c=true; }; f; $c${rest}`),
  firstWord('program of a recursive function', (word, rest) => `c=true; f() { $c${rest}; c=${word}; f; }; f`),
  firstWord('program read in a loop', (word, rest) => `printf 'true\\n${word}\\n' | while read -r c; do $c${rest}; done`),
  firstWord('alias', (word, rest) => `alias zz=${word}\nzz${rest}`),
  firstWord('hashed path', (word, rest) => `hash -p /bin/${word} zz; zz${rest}`),
  firstWord('reference to a variable', (word, rest) => `declare -n r=c; r=${word}; $c${rest}`),
  firstWord('program in double quotes', (word, rest) => `"${word}"${rest}`),
  firstWord('program in single quotes', (word, rest) => `'${word}'${rest}`),
  firstWord('empty quotes inside the program', (word, rest) => `${word.slice(0, 1)}''${word.slice(1)}${rest}`),
  firstWord('escaped program', (word, rest) => `\\${word}${rest}`),
  firstWord('escape inside the program', (word, rest) => `${word.slice(0, -1)}\\${word.slice(-1)}${rest}`),
  firstWord('ANSI-C program', (word, rest) => `$'${[...word].map((letter) => `\\x${letter.charCodeAt(0).toString(16)}`).join('')}'${rest}`),
  firstWord('printed program', (word, rest) => `$(echo ${word})${rest}`),
  firstWord('program in backticks', (word, rest) => `\`printf ${word}\`${rest}`),
  firstWord('default value', (word, rest) => `\${not_set:-${word}}${rest}`),
  firstWord('program in a variable', (word, rest) => `p=${word}; $p${rest}`),
  firstWord('program in two variables', (word, rest) => `p=${word.slice(0, 1)} q=${word.slice(1)}; $p$q${rest}`),
  firstWord('path before the program', (word, rest) => `/usr/bin/${word}${rest}`),
  firstWord('empty expansion inside the program', (word, rest) => `${word.slice(0, 1)}$()${word.slice(1)}${rest}`),
  firstWord('full-width program', (word, rest) => `${[...word].map((letter) => (/[a-z]/.test(letter) ? String.fromCodePoint((letter.codePointAt(0) ?? 0) - 0x61 + 0xff41) : letter)).join('')}${rest}`),
  firstWord('zero-width character in the program', (word, rest) => `${word.slice(0, 1)}\u200b${word.slice(1)}${rest}`),
  firstWord('escape codes before the program', (word, rest) => `\x1b[1m${word}${rest}`),
  firstWord('array', (word, rest) => `c=(${word}${rest}); "\${c[@]}"`),
  firstWord('set --', (word, rest) => `set -- ${word}${rest}; "$@"`),
  words('every word in double quotes', (word) => `"${word}"`),
  words('every word in single quotes', (word) => `'${word}'`),
  words('empty quotes after every word', (word) => `${word}""`),
  words('tabs between words', (word, index) => (index === 0 ? word : `\t${word}`)),
  words('continued lines between words', (word, index) => (index === 0 ? word : `\\\n ${word}`)),
  { name: '$IFS between words', apply: (command) => (isPlain(command) ? command.split(/ +/).join('${IFS}') : undefined) },
];
