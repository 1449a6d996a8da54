/* eslint-disable no-template-curly-in-string -- shell text is full of ${…} that is not ours */
/** Lines of up to 100 kB made to keep a detector busy, by what is in them. */
const repeat = (text: string, chars = 100_000): string => text.repeat(Math.ceil(chars / text.length)).slice(0, chars);
const doubling = `a0=xx;${Array.from({ length: 60 }, (_, index) => `a${String(index + 1)}=$a${String(index)}$a${String(index)};`).join('')}echo $a60`;
const functions = `${Array.from({ length: 30 }, (_, index) => `f${String(index)}(){ f${String(index + 1)}; f${String(index + 1)}; };`).join('')}f30(){ ls; }; f0`;

const chain = `while :; do ${Array.from({ length: 600 }, (_, index) => `v${String(index)}=$v${String(index + 1)}`).join('; ')}; $v0 x; done`;
const shells = `${Array.from({ length: 9_000 }, (_, index) => `v${String(index)}=1`).join(' ')};${repeat("sh -c '$v1 x';", 10_000)}`;
const loopedFunctions = `${Array.from({ length: 100 }, (_, index) => `f${String(index)}(){ for i in 1 2; do f${String(index + 1)}; c=$d; d=$i; done; }`).join(';')};f0`;
const choices = `${Array.from({ length: 12 }, (_, index) => repeat(`false || a${String(index)}=x${String(index)}; `, 60)).join(';')};${repeat('$a0$a1$a2$a3$a4$a5$a6$a7$a8$a9$a10$a11;', 10_000)}`;

export const HOSTILE: Readonly<Record<string, string>> = {
  'many commands': repeat('a b;'), 'many pipes': `${repeat('cat|')}sh`, 'many lists': `${repeat('rm x&&')}ls`, 'many redirections': `a ${repeat('>f\n')}`, 'many heredocs': repeat('cat <<E\nx\nE\n'), 'open heredocs': repeat('cat <<E\n'),
  'open quotes': repeat('"a\n'), 'nested substitutions': `${'$('.repeat(20_000)}ls`, 'twenty levels again and again': repeat(`${'$(a '.repeat(20)}${')'.repeat(20)}\n`), backticks: repeat('`a`\n'), 'wide braces': `echo ${'{a,b}'.repeat(700)}`,
  'long sum': `echo $((${repeat('1+\n', 60_000)}1))`, 'big array': `a=(${repeat('x\n', 60_000)});${'"${a[@]}";'.repeat(3000)}`, 'doubling variables': doubling, 'doubling functions': functions, 'many wrappers': repeat(`${'sudo '.repeat(700)}rm;`), xargs: repeat(`${'xargs '.repeat(500)}rm;`),
  downloads: repeat('curl u -o f; bash f;'), permissions: repeat('chmod +x a; ./a;'), evals: repeat('eval eval eval "a;"\n'), traps: repeat("trap 'a' EXIT;"), escapes: repeat('\x1b]\n'), 'C1 controls': repeat('\x90;'), 'full-width': repeat('ｒｍ;'), 'combining marks': repeat('e\u0301;'),
  'awk program': `awk '${repeat('system("a")\n')}'`, 'sed program': `sed '${repeat('s/a/b/e\n')}'`, 'open sed': `sed 's${repeat('/\n')}'`, 'python program': `python -c '${repeat('os.system("a")\n')}'`, sql: `psql -c "${repeat("DROP x; ' /* ")}"`, 'nested loops': `${'for i in 1 2; do c=$c$i; '.repeat(60)}$c${'; done'.repeat(60)}`, 'loops in a row': repeat('for i in a b; do $c; c=$d; d=$i; done;', 60_000), 'loop that hands values on': chain, 'variables and shells': shells, 'functions with loops': loopedFunctions, 'many alternatives': choices,
  'case items': `case x in ${repeat('a) c=$d; d=x;& ', 60_000)} esac; $c`, conditions: `${'if $a; then a=$b; b=x; '.repeat(90)}$a${'; fi'.repeat(90)}`, aliases: repeat('alias a=a;a;', 60_000), namerefs: repeat('declare -n a=b; declare -n b=a; a=x; $a;', 60_000), recursion: `f(){ ${repeat('f;', 9_000)} }; f`, 'lines to read': `while read -r a b; do $a $b; done <<E\n${repeat('x y\n', 60_000)}E`,
  'many wide braces': repeat('echo {1..9}{1..9}{1..9}{1..9}{1..9};', 60_000), PowerShell: repeat('Get-Item { ( { ', 60_000), 'PowerShell text': `powershell -c "${repeat('if ($a) { Remove-Item x }; ', 60_000)}"`, makefile: `make -f - <<'M'\n${repeat('\t@rm x\n', 60_000)}M`, 'quoted sed writes': `sed '${repeat('s/a/b/w x\n', 60_000)}'`,
  globs: `${repeat('*a', 3000)};rm ${repeat('/*', 3000)}`, paths: `rm ${repeat('/../a', 4000)};`, 'find actions': `find . ${repeat('-exec a \\;\n')}`, parameters: `x=${'a'.repeat(4000)};${repeat('echo ${x%%*b};')}`,
  descriptors: repeat('bash 3<x <&3;', 60_000), 'redirections of one command': `cat ${repeat('3<x <&3\t')}`, subscripts: repeat("let 'a[$(a)]';", 60_000), prompts: repeat("PS1='$(a)';", 60_000), 'split strings': repeat("env -S 'env -S a' b;", 60_000),
  'half-known programs': repeat('sudo r${x}m a;'), 'set or not': repeat('e ${x:+y}${z:+w};'), 'pipes written to': repeat('echo a > >(sh);'),
  'unknown runners': repeat('foo -- rm -rf a;', 60_000), 'cut arrays': `a=(${repeat('x ', 3000)});${repeat('echo "${a[@]:1}";', 60_000)}`, 'mutual aliases': `${Array.from({ length: 1500 }, (_, index) => `alias a${String(index)}='a${String(index + 1)};a${String(index + 1)}'`).join(';')};a0`,
};
