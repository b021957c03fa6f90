import { defineConfig } from 'vitest/config'
import config from './vitest.config.ts'

/** What needs no PostgreSQL, no browser and no built page, and no process of its own, and is quick: `npm run test:unit`. */
export default defineConfig({
  test: {
    ...config.test,
    include: ['src/**/*.test.ts'],
    exclude: [
      'src/store/postgres/**',
      'src/store/sql/{append-queue,fork}.test.ts',
      'src/store/sqlite/{backup,bad-files,log-check,log-keeper,long-texts,long-work,scrub,text-parts}.test.ts',
      'src/classic/{classic,described,erasure}.test.ts',
      'src/cli/copy-session.test.ts',
      'src/erasure/receipt.test.ts',
      'src/adapters/**',
      'src/lab/replay/same-as-engine.test.ts',
      'src/redaction/redacting-store.test.ts',
    ],
    globalSetup: ['test/run-folder.ts', 'test/compile-cache.ts', 'test/sqlite-template.ts'],
    setupFiles: ['test/as-it-was.ts', 'test/fixed-seed.ts', 'test/patience.ts'],
  },
})
