import { availableParallelism } from 'node:os'
import { defineConfig } from 'vitest/config'
import { LongFirst } from './test/long-first.ts'
import { longest } from './test/runs.ts'

export default defineConfig({
  test: {
    include: ['packages/*/src/**/*.test.ts', 'test/**/*.test.ts', 'eval/**/*.test.ts'],
    // The folder of the run comes first: all others write into it.
    globalSetup: [
      'test/run-folder.ts',
      'test/compile-cache.ts',
      'test/sqlite-template.ts',
      'test/postgres/global-setup.ts',
      'test/inspector/global-setup.ts',
    ],
    setupFiles: [
      'test/as-it-was.ts',
      'test/fixed-seed.ts',
      'test/patience.ts',
      'test/postgres/fresh-database.ts',
    ],
    testTimeout: longest(240_000),
    hookTimeout: 240_000,
    expect: { poll: { timeout: 30_000 } },
    sequence: { sequencer: LongFirst },
    // One more than there are processors: some wait for a database, a browser or a time-out.
    maxWorkers: availableParallelism() + 1,
    // A worker reads our sources once, and not for each file.
    isolate: false,
  },
})
