import { defineConfig, mergeConfig } from 'vitest/config'
import { builtPackage } from './test/built/built-package.ts'
import config from './vitest.config.ts'

/**
 * The tests of the server, the command line and MCP once more, against the built package: what a bundler did to it shows
 * nowhere else. A short form of them with every `npm test`; all of them with `npm run test:built`, as `.ci/run` does.
 */
const ALL = ['test/{server,cli,mcp,openai,built}/**/*.test.ts']
const SHORT = [
  'test/built/**/*.test.ts',
  'test/server/{app,requests}.test.ts',
  'test/cli/{keys,import-formats}.test.ts',
  'test/mcp/tools.test.ts',
]

export default defineConfig(({ mode }) => {
  const built = mergeConfig(config, {
    plugins: [builtPackage()],
    test: { globalSetup: ['test/built/global-setup.ts'], env: { TEST_BUILT_PACKAGE: '1' } },
  })
  built.test.include = mode === 'all' ? ALL : SHORT
  return built
})
