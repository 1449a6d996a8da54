/** Counts what passed, failed and was skipped over all parts, and says so at the end. */
import { say } from '../../main/shells/launch/project.mjs';

/** A failing part's output is shown up to this many characters from its end: the cause stands there. */
const SHOWN_CHARS = 12_000;

export class Report {
  #passed = 0;
  #failures = [];
  #skips = [];
  #flaky = [];

  /** Runs a part under a heading and says how long it took. A part that throws has failed. */
  async time(name, work) {
    say(`\n── ${name} ──`);
    const started = Date.now();
    try {
      return await work();
    } catch (error) {
      this.failed(name, error instanceof Error ? error.stack : String(error));
      return undefined;
    } finally {
      say(`── ${name}: ${((Date.now() - started) / 1000).toFixed(1)} s`);
    }
  }

  passed(name, count = 1) {
    this.#passed += count;
    if (name !== undefined) say(`✓ ${name}`);
  }

  failed(name, output = '') {
    this.#failures.push(name);
    say(`✗ ${name}`);
    if (output) say(output.length > SHOWN_CHARS ? `…${output.slice(-SHOWN_CHARS)}` : output);
  }

  skipped(name, reason) {
    this.#skips.push(`${name}: ${reason}`);
  }

  /** A test that passed only when it was tried again. */
  flaky(name) {
    this.#flaky.push(name);
  }

  closing() {
    const lines = [''];
    if (this.#skips.length > 0) lines.push('Skipped:', ...this.#skips.map((skip) => `  ${skip}`), '');
    if (this.#flaky.length > 0) lines.push('Passed only when tried again (a defect of the test or of the product):', ...this.#flaky.map((test) => `  ${test}`), '');
    if (this.#failures.length > 0) lines.push('Failed:', ...this.#failures.map((failure) => `  ${failure}`), '');
    lines.push(`${this.#passed} passed, ${this.#failures.length} failed, ${this.#skips.length} skipped`);
    return lines.join('\n');
  }

  exitCode() {
    return this.#failures.length === 0 && this.#passed > 0 ? 0 : 1;
  }
}
