import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { SESSION_HEADERS } from '../../packages/server/src/completions/named-session.ts'
import { saidIn, start } from './kit.ts'

const page = readFileSync(new URL('../../docs/openai.md', import.meta.url), 'utf8')
const root = dirname(dirname(import.meta.dirname))

test('the program of docs/openai.md runs as it is written', async () => {
  const kit = await start('never asked', { model: null })
  const [, program] = /^```js\n(.*?)^```/ms.exec(page)!
  const code = program!.replace('http://127.0.0.1:8787', kit.url())
  const args = ['--input-type=module', '--eval', code]
  const { stdout } = await promisify(execFile)(process.execPath, args, { cwd: root })
  expect(stdout).toMatch(/^Kept\./)
  expect(stdout).toContain('“My dog is called Rex, and he likes lemons.”')
  expect(saidIn(await kit.log('telegram:42'))).toHaveLength(4)
})

test('docs/openai.md names every header', () => {
  for (const header of Object.keys(SESSION_HEADERS)) expect(page).toContain(`\`${header}`)
})
