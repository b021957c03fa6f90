import { execFile } from 'node:child_process'
import { cp, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterEach, expect, test } from 'vitest'

const folders: string[] = []
afterEach(async () => {
  for (const folder of folders.splice(0)) await rm(folder, { recursive: true })
})

const SCRIPT = `
import { palimpsestMiddleware } from './src/adapters/langchain/index.ts'
try {
  palimpsestMiddleware({ session() {} })
} catch (error) {
  console.log(JSON.stringify({ code: error.code, message: error.message }))
}
`

test('without LangChain the error says what to install', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'palimpsest-langchain-'))
  folders.push(folder)
  await cp('packages/palimpsest/src', join(folder, 'src'), { recursive: true })
  await writeFile(join(folder, 'package.json'), '{"type":"module"}')
  await writeFile(join(folder, 'script.ts'), SCRIPT)
  const { stdout } = await promisify(execFile)(process.execPath, ['script.ts'], { cwd: folder })
  expect(JSON.parse(stdout)).toEqual({
    code: 'missing_peer',
    message: expect.stringContaining('npm install langchain @langchain/core'),
  })
})
