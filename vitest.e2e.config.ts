/** End-to-end: the built app in a real Chromium. One file at a time, because a browser and a host fill two cores. */
import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['test/e2e/**/*.test.ts'],
    maxWorkers: 1,
    pool: 'forks',
    testTimeout: 120_000,
    hookTimeout: 120_000,
    /** vitest's own second is too short for a browser or a host on a busy machine; a state that never comes still fails. */
    expect: { poll: { timeout: 15_000 } },
    setupFiles: ['test/support/clean-environment.ts'],
    dangerouslyIgnoreUnhandledErrors: false,
  },
});
