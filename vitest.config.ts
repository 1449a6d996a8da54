import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['test/{unit,contract,conformance,integration,arch}/**/*.test.{ts,tsx}'],
    /** Two cores: more workers only fight over them. */
    maxWorkers: 2,
    pool: 'forks',
    testTimeout: 30_000,
    hookTimeout: 60_000,
    /** A test never sees the developer's own home or keys. */
    setupFiles: ['test/support/clean-environment.ts'],
    dangerouslyIgnoreUnhandledErrors: false,
  },
});
