/** Runs vitest with one configuration and adds its counts; the reporter beside this file writes them. */
import { spawn } from 'node:child_process';
import { mkdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { root, runtimeNode } from '../../main/shells/launch/project.mjs';

/** A test may fail once for want of time on a busy machine. It is tried again, and the closing lines name it: it passed, but it is a defect. */
const RETRIES = 1;

export async function vitest(report, name, config) {
  const summaryFile = join(root, 'test', 'output', `${name}.json`);
  mkdirSync(join(root, 'test', 'output'), { recursive: true });
  rmSync(summaryFile, { force: true });
  const args = [join(root, 'node_modules', 'vitest', 'vitest.mjs'), 'run', '--config', config, `--retry=${RETRIES}`, '--reporter=dot', '--reporter=./test/runner/summary-reporter.ts'];
  const code = await new Promise((resolve) => {
    const child = spawn(runtimeNode(), args, { cwd: root, stdio: ['ignore', 'inherit', 'inherit'], env: { ...process.env, TALARIA_SUMMARY: summaryFile } });
    child.on('error', () => resolve(-1));
    child.on('close', resolve);
  });
  let summary;
  try {
    summary = JSON.parse(readFileSync(summaryFile, 'utf8'));
  } catch {
    report.failed(`${name} tests`, 'vitest ended before it could report.');
    return;
  }
  report.passed(`${summary.passed} ${name} tests`, summary.passed);
  for (const failure of summary.failed) report.failed(failure);
  for (const test of summary.flaky) report.flaky(test);
  for (const { name: test, reason } of summary.skipped) report.skipped(test, reason);
  if (code !== 0 && summary.failed.length === 0) report.failed(`${name} tests`, 'vitest ended with an error outside of the tests; its words are above.');
}
