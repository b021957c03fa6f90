import { defineConfig } from 'vitest/config'

export default defineConfig({
  test: {
    include: ['src/**/*.test.ts', 'test/**/*.test.ts', 'eval/**/*.test.ts'],
    globalSetup: ['test/postgres/global-setup.ts'],
    testTimeout: 240_000,
    hookTimeout: 60_000,
  },
})
