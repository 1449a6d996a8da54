/** Writes what a vitest run came to into the file that `TALARIA_SUMMARY` names, with the reason of every skipped test. */
import { writeFileSync } from 'node:fs';
import type { Reporter, SerializedError, TestCase, TestModule } from 'vitest/node';

/** Why a test was skipped: `context.skip('reason')`, else words in brackets at the end of its name or of one of its suites' names: `(why)` or `[skipped: why]`. */
function reasonOf(test: TestCase): string | undefined {
  const result = test.result();
  if (result.state === 'skipped' && result.note !== undefined && result.note !== '') return result.note;
  const [named] = [...test.fullName.matchAll(/\[skipped: ([^\]]+)\]|\(([^()]+)\)(?= > |$)/g)].slice(-1);
  return named?.[1] ?? named?.[2];
}

export default class SummaryReporter implements Reporter {
  onTestRunEnd(modules: readonly TestModule[], errors: readonly SerializedError[]): void {
    const file = process.env['TALARIA_SUMMARY'];
    if (file === undefined) return;
    const failed: string[] = errors.map((error) => `an error outside of the tests: ${error.message}`);
    const skipped: { name: string; reason: string }[] = [];
    let passed = 0;
    for (const module of modules) {
      const place = module.relativeModuleId;
      if (module.state() === 'failed' && [...module.children.allTests()].length === 0) failed.push(`${place} could not be loaded`);
      for (const test of module.children.allTests()) {
        const { state } = test.result();
        if (state === 'passed') passed += 1;
        else if (state === 'skipped') {
          const reason = reasonOf(test);
          if (reason === undefined) failed.push(`${place} > ${test.fullName} was skipped without a reason`);
          else skipped.push({ name: `${place} > ${test.fullName}`, reason });
        }
        else failed.push(`${place} > ${test.fullName}`);
      }
    }
    writeFileSync(file, JSON.stringify({ passed, failed, skipped }));
  }
}
