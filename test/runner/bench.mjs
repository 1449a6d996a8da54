/** `npm run bench`: runs every `test/bench/*.ts`, each in a process of its own, and prints its figures beside the bars of design §6. A report, not a test. */
import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { root, run, runtimeNode, say } from '../../main/shells/launch/project.mjs';

/** A bench that takes longer hangs, in ms. */
const BENCH_MS = 600_000;
const MARK = '@@bench ';

export async function bench(report) {
  const folder = join(root, 'test', 'bench');
  const files = existsSync(folder) ? readdirSync(folder).filter((name) => name.endsWith('.ts')).sort() : [];
  const figures = [];
  for (const file of files) {
    const program = `const { bench } = await import(${JSON.stringify(pathToFileURL(join(folder, file)).href)}); const found = await bench(); process.stdout.write('\\n${MARK}' + JSON.stringify(found) + '\\n', () => process.exit(0));`;
    const { code, output } = await run(runtimeNode(), ['--expose-gc', '--input-type=module', '-e', program], { timeoutMs: BENCH_MS });
    const line = output.split('\n').find((text) => text.startsWith(MARK));
    if (code !== 0 || line === undefined) {
      report.failed(`bench ${file}`, output);
      continue;
    }
    report.passed(undefined);
    for (const figure of JSON.parse(line.slice(MARK.length))) {
      figures.push({ file: basename(file, '.ts'), ...figure });
      say(`${figure.name.padEnd(64)} ${format(figure.value).padStart(10)} ${figure.unit}${figure.bar === undefined ? '' : `   bar ${figure.bar}`}`);
    }
  }
  mkdirSync(join(root, 'test', 'output'), { recursive: true });
  writeFileSync(join(root, 'test', 'output', 'bench.json'), JSON.stringify(figures, null, 2));
}

function format(value) {
  return value >= 100 ? value.toFixed(0) : value >= 1 ? value.toFixed(2) : value.toPrecision(3);
}
