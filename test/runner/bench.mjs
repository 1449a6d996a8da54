/**
 * `npm run bench`: runs every `test/bench/*.ts`, each in a process of its own, and prints its figures beside the bars of design §6. A report,
 * not a test: a figure that misses its bar is marked and fails nothing. `TALARIA_BENCH=calls,idle` runs only those.
 */
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { cpus, loadavg } from 'node:os';
import { basename, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { root, run, runtimeNode, say } from '../../main/shells/launch/project.mjs';

/** A bench that takes longer hangs, in ms: it is ended from inside, so that it takes its programs with it, and else from here. */
const HANGING_MS = 590_000;
const KILL_MS = HANGING_MS + 10_000;
const MARK = '@@bench ';

/** What the process of one bench runs. */
const program = (file) => `
  setTimeout(() => { process.stderr.write('not finished after ${HANGING_MS} ms'); process.exit(1); }, ${HANGING_MS}).unref();
  const { bench } = await import(${JSON.stringify(pathToFileURL(file).href)});
  const found = await bench();
  process.stdout.write('\\n${MARK}' + JSON.stringify(found) + '\\n', () => process.exit(0));`;

export async function bench(report) {
  const folder = join(root, 'test', 'bench');
  const only = process.env.TALARIA_BENCH?.split(',');
  const files = readdirSync(folder).filter((name) => name.endsWith('.ts') && (only === undefined || only.includes(basename(name, '.ts')))).sort();
  const figures = [];
  for (const file of files) {
    const { code, output } = await run(runtimeNode(), ['--expose-gc', '--input-type=module', '-e', program(join(folder, file))], { timeoutMs: KILL_MS });
    const line = output.split('\n').find((text) => text.startsWith(MARK));
    if (code !== 0 || line === undefined) {
      report.failed(`bench ${file}`, output);
      continue;
    }
    report.passed(undefined);
    say(`\n${basename(file, '.ts')} (load ${loadavg()[0].toFixed(1)} on ${cpus().length} processors)`);
    for (const figure of JSON.parse(line.slice(MARK.length))) {
      const verdict = figure.bar === undefined ? '' : `   ${figure.bar}${holds(figure) ? '' : '   MISSED'}`;
      figures.push({ file: basename(file, '.ts'), load: loadavg()[0], ...figure });
      say(`  ${figure.name.padEnd(76)} ${format(figure.value).padStart(9)} ${figure.unit.padEnd(4)}${verdict}`);
    }
  }
  const missed = figures.filter((figure) => figure.bar !== undefined && !holds(figure));
  say(`\n${figures.length} figures, ${missed.length} beyond their bar.`);
  mkdirSync(join(root, 'test', 'output'), { recursive: true });
  writeFileSync(join(root, 'test', 'output', 'bench.json'), JSON.stringify(figures, null, 2));
}

/** Whether the value is on its side of the bar, `≤ 15` or `≥ 0.7`. */
function holds({ value, bar }) {
  const [side, bound] = bar.split(' ');
  return side === '≤' ? value <= Number(bound) : value >= Number(bound);
}

function format(value) {
  return value >= 100 ? value.toFixed(0) : value >= 1 || value === 0 ? value.toFixed(2) : value.toPrecision(3);
}
