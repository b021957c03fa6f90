import { availableParallelism } from 'node:os'
import { defineConfig } from 'vitest/config'
import { LongFirst } from './test/long-first.ts'
import { longest } from './test/runs.ts'

export default defineConfig({
  test: {
    include: ['src/**/*.test.ts', 'test/**/*.test.ts', 'eval/**/*.test.ts'],
    globalSetup: ['test/compile-cache.ts', 'test/postgres/global-setup.ts', 'test/inspector/global-setup.ts'],
    setupFiles: ['test/fixed-seed.ts', 'test/patience.ts'],
    testTimeout: longest(240_000),
    hookTimeout: 60_000,
    expect: { poll: { timeout: 30_000 } },
    sequence: { sequencer: LongFirst },
    maxWorkers: Math.max(2, availableParallelism()),
  },
})
