import { defineConfig } from 'vitest/config';

export default defineConfig({
  /** Electron's package would fetch its binary when it is imported outside of Electron. */
  resolve: { alias: { electron: `${import.meta.dirname}/test/support/electron.ts` } },
  test: {
    include: ['test/{unit,contract,conformance,integration,arch}/**/*.test.{ts,tsx}'],
    /** Two cores: more workers only fight over them. */
    maxWorkers: 2,
    pool: 'forks',
    testTimeout: 60_000,
    hookTimeout: 120_000,
    /** vitest's own second is too short for a browser or a host on a busy machine; a state that never comes still fails. */
    expect: { poll: { timeout: 15_000 } },
    /** A test never sees the developer's own home or keys. */
    setupFiles: ['test/support/clean-environment.ts'],
    dangerouslyIgnoreUnhandledErrors: false,
  },
});
