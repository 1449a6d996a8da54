/** Writes what a vitest run came to into the file that `TALARIA_SUMMARY` names, with the reason of every skipped test. */
import { writeFileSync } from 'node:fs';
import type { Reporter, SerializedError, TestCase, TestModule } from 'vitest/node';

/** A difference of two objects is cut here; the runner's own output above has all of it. */
const SHOWN_LINES = 6;

/** Why a test was skipped: `context.skip('reason')`, else words in brackets at the end of its name or of one of its suites' names: `(why)` or `[skipped: why]`. */
function reasonOf(test: TestCase): string | undefined {
  const result = test.result();
  if (result.state === 'skipped' && result.note !== undefined && result.note !== '') return result.note;
  const [named] = [...test.fullName.matchAll(/\[skipped: ([^\]]+)\]|\(([^()]+)\)(?= > |$)/g)].slice(-1);
  return named?.[1] ?? named?.[2];
}

/** The first words of an error and the first place in this project its stack names. */
function causeOf(errors: readonly SerializedError[] | undefined): string {
  const [error] = errors ?? [];
  if (error === undefined) return '';
  const words = error.message.split('\n').slice(0, SHOWN_LINES).join('\n    ');
  const place = error.stacks?.[0] ?? error.stack?.split('\n').find((line) => /\.tsx?:\d/.test(line))?.trim();
  const at = typeof place === 'object' ? `${place.file}:${String(place.line)}` : place;
  return `\n    ${words}${at === undefined ? '' : `\n    at ${at}`}`;
}

const wordOr = (value: unknown, otherwise: string): string => (typeof value === 'string' ? value : otherwise);

export default class SummaryReporter implements Reporter {
  onTestRunEnd(modules: readonly TestModule[], errors: readonly SerializedError[]): void {
    const file = process.env['TALARIA_SUMMARY'];
    if (file === undefined) return;
    const failed: string[] = errors.map((error) => `an error outside of the tests, while ${wordOr(error['VITEST_TEST_NAME'], 'no test')} of ${wordOr(error['VITEST_TEST_PATH'], 'no file')} ran:${causeOf([error])}`);
    const skipped: { name: string; reason: string }[] = [];
    const flaky: string[] = [];
    let passed = 0;
    for (const module of modules) {
      const place = module.relativeModuleId;
      if (module.state() === 'failed' && [...module.children.allTests()].length === 0) failed.push(`${place} could not be loaded`);
      for (const test of module.children.allTests()) {
        const { state, errors: causes } = test.result();
        if (state === 'passed') {
          passed += 1;
          if (test.diagnostic()?.flaky === true) flaky.push(`${place} > ${test.fullName}${causeOf(causes)}`);
        }
        else if (state === 'skipped') {
          const reason = reasonOf(test);
          if (reason === undefined) failed.push(`${place} > ${test.fullName} was skipped without a reason`);
          else skipped.push({ name: `${place} > ${test.fullName}`, reason });
        }
        else failed.push(`${place} > ${test.fullName}${causeOf(causes)}`);
      }
    }
    writeFileSync(file, JSON.stringify({ passed, failed, flaky, skipped }));
  }
}
