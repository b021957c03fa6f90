import { afterAll, expect, test } from 'vitest'
import { run, temporaryFolder } from './run.ts'

const folder = temporaryFolder()
afterAll(() => folder.remove())

test('every command is in the namespace of the environment, unless it is told another', async () => {
  const cwd = folder.path
  const there = { PALIMPSEST_NAMESPACE: 'team' }
  folder.file('chat.jsonl', '{"role":"user","text":"my fox is called Fay"}\n')
  const imported = await run(['import', 'chat.jsonl', '--session', 's', '--db', 'n.db'], { cwd, env: there })
  expect(imported.code).toBe(0)
  const search = (args: readonly string[], env: Record<string, string> = {}) =>
    run(['search', 'fox', '--db', 'n.db', ...args], { cwd, env })
  expect((await search([], there)).code).toBe(0)
  expect((await search(['--namespace', 'team'])).code).toBe(0)
  expect((await search([])).code).toBe(1)
  expect((await search(['--namespace', 'default'], there)).code).toBe(1)
  const exported = await run(['export', 's', '--db', 'n.db'], { cwd, env: there })
  expect(exported.stdout).toContain('Fay')
  expect((await run(['export', 's', '--db', 'n.db'], { cwd })).code).toBe(66)
  const folded = await run(['compact', 's', '--db', 'n.db', '--json'], { cwd, env: there })
  expect(folded.code).toBe(0)
})
