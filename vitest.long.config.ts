import { globSync, readFileSync } from 'node:fs'
import { defineConfig } from 'vitest/config'
import { longest } from './test/runs.ts'
import config from './vitest.config.ts'

// For the workers, too.
process.env['PALIMPSEST_TEST_LONG'] = '1'

/** With two numbers, `runs(100, 500)`, a test tries more in a long run than in an ordinary one. */
const TRIES_MORE = /\b(?:runs|stride)\([^(),]+, [^()]+\)/

/** The files with such a test, and no others: those do the same in `npm test`. */
const include = globSync(['packages/*/src/**/*.test.ts', 'test/**/*.test.ts'], {
  cwd: import.meta.dirname,
}).filter(file => TRIES_MORE.test(readFileSync(new URL(file, import.meta.url), 'utf8')))

/** Ten times an ordinary run's patience: some try five times as much. */
export default defineConfig({ test: { ...config.test, include, testTimeout: longest(2_400_000) } })
