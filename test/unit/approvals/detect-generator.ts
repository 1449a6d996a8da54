/** Makes random shell lines out of harmless stand-in programs, covering the places where a command can stand. */

export type Next = (below: number) => number;

/** Programs that only write down that they were started. */
export const PROGRAMS = ['alpha', 'beta', 'gamma', 'delta', 'rm', 'mkfs', 'reboot', 'git', 'curl', 'ls', 'wc', 'kill'];
/** Programs that write that down and then do their work, with the same PATH. */
export const REAL_PROGRAMS = ['env', 'nice', 'timeout', 'nohup', 'setsid', 'stdbuf', 'xargs', 'find', 'sh', 'bash', 'cat', 'true', 'flock', 'chrt', 'taskset', 'ionice', 'awk', 'sed', 'tar', 'script', 'perl', 'python3', 'make', 'ed'];

const pick = <T>(next: Next, items: readonly T[]): T => {
  const item = items[next(items.length)];
  if (item === undefined) throw new Error('nothing to pick from');
  return item;
};

const quoted = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;

function spelled(program: string, next: Next): string {
  return pick(next, [
    program, program, program, `"${program}"`, `'${program}'`, `\\${program}`, `${program.slice(0, 1)}''${program.slice(1)}`, `$(echo ${program})`, `\`printf ${program}\``, `\${unset_name:-${program}}`, `$'\\x${program.charCodeAt(0).toString(16)}'${program.slice(1)}`,
  ]);
}

function simple(next: Next): string {
  const words = Array.from({ length: next(3) }, () => pick(next, ['a', '-x', '"b c"', "'d;e'", 'f=g', '$HOME', '{h,i}', '*.none', '#no', '2>&1', '> out', '< /dev/null']));
  return [spelled(pick(next, PROGRAMS), next), ...words.map((word) => (word === '#no' ? '"#no"' : word))].join(' ');
}

type Shape = (next: Next, depth: number) => string;

const SHAPES: readonly Shape[] = [
  (next, depth) => `${line(next, depth)}; ${line(next, depth)}`,
  (next, depth) => `${line(next, depth)} && ${line(next, depth)}`,
  (next, depth) => `${line(next, depth)} || ${line(next, depth)}`,
  (next, depth) => `${line(next, depth)} | ${line(next, depth)}`,
  (next, depth) => `${line(next, depth)}\n${line(next, depth)}`,
  (next, depth) => `( ${line(next, depth)} )`,
  (next, depth) => `{ ${line(next, depth)}; }`,
  (next, depth) => `! ${simple(next)}; ${line(next, depth)}`,
  (next, depth) => `if ${line(next, depth)}; then ${line(next, depth)}; else ${line(next, depth)}; fi`,
  (next, depth) => `for i in 1 2; do ${line(next, depth)}; done`,
  (next, depth) => `while ${line(next, depth)}; do break; done`,
  (next, depth) => `case x in y) ${line(next, depth)};; *) ${line(next, depth)};; esac`,
  (next, depth) => `work() { ${line(next, depth)}; }; work`,
  (next) => `run() { "$@"; }; run ${simple(next)}`,
  (next, depth) => `echo "$( ${line(next, depth)} )"`,
  (next, depth) => `v=$( ${line(next, depth)} ); echo "$v"`,
  (next, depth) => `cat <(${line(next, depth)})`,
  (next, depth) => `cat <<END\n$( ${line(next, depth)} )\nEND`,
  (next, depth) => `bash <<'END'\n${line(next, depth).replaceAll('END', 'end')}\nEND`,
  (next, depth) => `bash <<< ${quoted(line(next, depth))}`,
  (next, depth) => `echo ${quoted(line(next, depth))} | sh`,
  (next, depth) => `sh -c ${quoted(line(next, depth))}`,
  (next, depth) => `bash -c ${quoted(line(next, depth))} zero one`,
  (next, depth) => `eval ${quoted(line(next, depth))}`,
  (next, depth) => `trap ${quoted(line(next, depth))} EXIT`,
  (next, depth) => `[[ -n $( ${line(next, depth)} ) ]]`,
  (next, depth) => `(( 1 + $( ${line(next, depth)}; echo 1 ) ))`,
  (next) => `p=${pick(next, PROGRAMS)}; $p x`,
  (next) => `p=${pick(next, PROGRAMS)} q="y z"; "$p" $q`,
  (next) => `c=(${pick(next, PROGRAMS)} x "y z"); "\${c[@]}"`,
  (next) => `set -- ${pick(next, PROGRAMS)} x; "$@"`,
  (next) => `printf -v p %s ${pick(next, PROGRAMS)}; $p`,
  (next) => `read -r p <<< ${pick(next, PROGRAMS)}; $p`,
  (next) => `{${pick(next, PROGRAMS)},x,y}`,
  (next) => `p=x${pick(next, PROGRAMS)}; \${p#x}`,
  (next) => `for p in ${pick(next, PROGRAMS)} ${pick(next, PROGRAMS)}; do $p x; done`,
  (next) => `env A=b ${simple(next)}`,
  (next) => `env -i "PATH=$PATH" ${simple(next)}`,
  (next) => `nice -n 1 ${simple(next)}`,
  (next) => `timeout -k 1 5 ${simple(next)}`,
  (next) => `nohup ${simple(next)}`,
  (next) => `setsid -w ${simple(next)}`,
  (next) => `stdbuf -oL env ${simple(next)}`,
  (next) => `flock lock ${simple(next)}`,
  (next) => `flock lock -c ${quoted(simple(next))}`,
  (next) => `echo one two | xargs -n 1 ${pick(next, PROGRAMS)}`,
  (next) => `echo ${pick(next, PROGRAMS)} | xargs -I% env % x`,
  (next) => `find . -maxdepth 0 -exec ${pick(next, PROGRAMS)} {} \\;`,
  (next) => `find . -maxdepth 0 -exec sh -c ${quoted(simple(next))} \\;`,
  (next) => `command ${pick(next, PROGRAMS)} x`,
  (next) => `(exec ${pick(next, PROGRAMS)} x)`,
  (next) => `A=b ${simple(next)}`,
  (next) => `${simple(next)} & wait`,
  (next) => `c=true; for i in 1 2 3; do $c x; c=${pick(next, PROGRAMS)}; done`,
  (next) => `a=true b=true; for i in 1 2 3; do $a x; a=$b; b=${pick(next, PROGRAMS)}; done`,
  (next) => `c=${pick(next, PROGRAMS)}; ${pick(next, ['false', 'true'])} && c=${pick(next, PROGRAMS)}; $c x`,
  (next) => `c=${pick(next, PROGRAMS)}; if ${pick(next, ['false', 'true'])}; then c=${pick(next, PROGRAMS)}; fi; $c x`,
  (next) => `c=${pick(next, PROGRAMS)}; (c=${pick(next, PROGRAMS)}; $c y); $c x`,
  (next) => `c=${pick(next, PROGRAMS)}; c=${pick(next, PROGRAMS)} | true; $c x`,
  (next) => `c=${pick(next, PROGRAMS)}; f() { local c=${pick(next, PROGRAMS)}; $c y; }; f; $c x`,
  (next) => `c=true; n=0; f() { $c x; c=${pick(next, PROGRAMS)}; n=$((n + 1)); if [ $n -lt 3 ]; then f; fi; }; f`,
  (next) => `c=${pick(next, PROGRAMS)}; trap '$c x' EXIT; c=${pick(next, PROGRAMS)}`,
  (next) => `c=${pick(next, PROGRAMS)}; flock lock -c '$c ${pick(next, PROGRAMS)} x'`,
  (next) => `export c=${pick(next, PROGRAMS)}; flock lock -c '$c ${pick(next, PROGRAMS)} x'`,
  (next) => `c=${pick(next, PROGRAMS)}; c=${pick(next, PROGRAMS)} bash -c '$c x'`,
  (next) => `c=${pick(next, PROGRAMS)}; env -u c c=${pick(next, PROGRAMS)} sh -c '$c x'`,
  (next) => `printf '%s\\n' ${pick(next, PROGRAMS)} ${pick(next, PROGRAMS)} | while read -r c; do $c x; done`,
  (next) => `set -- true ${pick(next, PROGRAMS)} ${pick(next, PROGRAMS)}; while [ $# -gt 0 ]; do $1 x; shift; done`,
  (next) => `case x in x) c=${pick(next, PROGRAMS)} ;& y) $c x ;; esac`,
  (next) => `declare -n r=c; r=${pick(next, PROGRAMS)}; $c x`,
  (next) => `shopt -s expand_aliases\nalias zz=${quoted(simple(next))}\nzz a`,
  (next) => `hash -p "$(command -v ${pick(next, PROGRAMS)})" zz; zz a`,
  (next) => `echo "\${v/a/$(${simple(next)})}" "\${w:-$(${simple(next)})}"`,
  (next, depth) => `case x in x) ${line(next, depth)};; *) : ;; esac`,
  (next) => `chrt --batch 0 ${simple(next)}`,
  (next) => `taskset 1 ionice -c 3 ${simple(next)}`,
  (next) => `env -S '${pick(next, PROGRAMS)} x'`,
  (next) => `awk 'BEGIN { system("${pick(next, PROGRAMS)} x"); print "y" | "${pick(next, PROGRAMS)} z" }'`,
  (next) => `echo x | sed '1e ${pick(next, PROGRAMS)} x'`,
  (next) => `echo x | sed 's/x/${pick(next, PROGRAMS)} y/e'`,
  (next) => `tar -cf a.tar --checkpoint=1 --checkpoint-action=exec='${pick(next, PROGRAMS)} x' line-0`,
  (next) => `script -qc ${quoted(simple(next))} /dev/null`,
  (next) => `perl -e 'system("${pick(next, PROGRAMS)} x"); exec "${pick(next, PROGRAMS)}", "y"'`,
  (next) => `python3 -c 'import os; os.system("${pick(next, PROGRAMS)} x")'`,
  (next) => `make -s -f - <<'M'\nall:\n\t@${pick(next, PROGRAMS)} x\nM`,
  (next) => `ed -s <<'X'\n!${pick(next, PROGRAMS)} x\nq\nX`,
  (next) => `find . -maxdepth 0 -exec ${pick(next, PROGRAMS)} {} + -exec sh -c ${quoted(simple(next))} x {} \\;`,
  (next, depth) => `time ${line(next, depth)}`,
  (next, depth) => `coproc { ${line(next, depth)}; }; wait`,
  (next, depth) => `source <(echo ${quoted(line(next, depth))})`,
];

/** A random line; `depth` bounds how far it nests. */
export function line(next: Next, depth: number): string {
  return depth <= 0 || next(4) === 0 ? simple(next) : pick(next, SHAPES)(next, depth - 1);
}
