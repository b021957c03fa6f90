import { defineConfig } from 'vitest/config'
import config from './vitest.config.ts'

/** What needs no PostgreSQL, no browser and no built page, and no process of its own, and is quick: `npm run test:unit`. */
export default defineConfig({
  test: {
    ...config.test,
    include: ['packages/*/src/**/*.test.ts'],
    exclude: [
      'packages/palimpsest/src/store/postgres/**',
      'packages/palimpsest/src/store/sql/{append-queue,fork}.test.ts',
      'packages/palimpsest/src/store/sqlite/{backup,bad-files,log-check,log-keeper,long-texts,long-work,scrub,text-parts}.test.ts',
      'packages/palimpsest/src/classic/{classic,described,erasure}.test.ts',
      'packages/cli/src/copy-session.test.ts',
      'packages/palimpsest/src/erasure/receipt.test.ts',
      'packages/palimpsest/src/adapters/**',
      'packages/replay/src/replay/same-as-engine.test.ts',
      'packages/palimpsest/src/redaction/redacting-store.test.ts',
    ],
    globalSetup: ['test/run-folder.ts', 'test/compile-cache.ts', 'test/sqlite-template.ts'],
    setupFiles: ['test/as-it-was.ts', 'test/fixed-seed.ts', 'test/patience.ts'],
  },
})
