import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { Writable } from 'node:stream'
import { fileURLToPath } from 'node:url'
import { afterAll, describe, expect, test } from 'vitest'
import { temporaryFolder } from '../test/cli/run.ts'
import { main } from './program.ts'

const folder = temporaryFolder()
afterAll(() => folder.remove())

const messages = [
  'Where is the dentist?',
  'Dr. Okonkwo moved to 17 Harbour Street in Porto.',
  'ok thanks',
  'Sure!',
]
const file = folder.file(
  'dentist.jsonl',
  Array.from({ length: 40 }, (_, index) =>
    JSON.stringify({ role: 'user', sender: 'Ann', externalId: `m${index}`, text: messages[index % 4] }),
  ).join('\n'),
)
folder.file(
  'dentist.qa.json',
  JSON.stringify([
    { question: 'Where is the dentist?', answer: '17 Harbour Street', evidence: ['m1'], category: 4 },
    { question: 'In which town?', answer: 'Porto', evidence: ['m1'] },
    { question: 'Who was first?', answer: 'A dragon', category: 1 },
  ]),
)

function screen() {
  let text = ''
  const stream = new Writable({
    write(chunk, _, done) {
      text += chunk
      done()
    },
  })
  return Object.assign(stream, { read: () => text })
}

async function run(args: readonly string[], options?: { usualFolder?: string }) {
  const [output, error] = [screen(), screen()]
  const code = await main(args, { output, error }, options)
  return { code, stdout: output.read(), stderr: error.read() }
}

test('as JSON it is one object and nothing else', async () => {
  const { code, stdout, stderr } = await run(['--json', '--data', file])
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
  const { data, recall, retention } = JSON.parse(stdout)
  expect(data).toEqual({ conversations: ['dentist'], messages: 40, questions: 3 })
  expect(recall.searches[0].overall.questions).toBe(2)
  expect(recall.searches[0].byCategory).toMatchObject([{ category: 0 }, { category: 4, questions: 1 }])
  expect(retention).toMatchObject({ asked: 3, leftOut: 1, results: expect.any(Array) })
})

test('one part of it is had alone', async () => {
  const parts = async (only: string) =>
    Object.keys(JSON.parse((await run(['--only', only, '--json', '--data', file])).stdout))
  expect(await parts('recall')).toEqual(['data', 'recall'])
  expect(await parts('retention')).toEqual(['data', 'retention'])
  expect(await parts('recalled')).toEqual(['data', 'recalled'])
})

test('otherwise it is tables', async () => {
  const { code, stdout } = await run(['--data', folder.path])
  expect(code).toBe(0)
  expect(stdout).toContain('(2 questions with evidence; by category: R@10)')
  expect(stdout).toMatch(/^SQLite FTS5( +\d+\.\d%){7}$/m)
  expect(stdout).toContain('1 conversation, 40 messages, 3 questions')
  expect(stdout).toContain('(2 answers; 1 of 3 are left out: their words are not in the source)')
  expect(stdout).toMatch(/in at most 20% +kept +answers +words +\(1\) +\(1\)/)
  expect(stdout).toMatch(/^palimpsest +\d+\.\d% +100\.0% +100\.0% +100\.0% +100\.0%$/m)
  expect(stdout).toMatch(/^400 tokens: palimpsest( +\d+\.\d%){3} +\d+ +\d+\.\d +0\.0%$/m)
  for (const method of ['first sentences', 'last sentences', 'TextRank']) expect(stdout).toContain(method)
})

test('several files stand behind --data', async () => {
  const { stdout } = await run([
    '--only',
    'retention',
    '--json',
    '--data',
    file,
    file.replace('.jsonl', '.qa.json'),
  ])
  expect(JSON.parse(stdout).data.conversations).toEqual(['dentist'])
})

describe('exit codes', () => {
  test('0, with help', async () => {
    const { code, stdout, stderr } = await run(['--help'])
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    expect(stdout).toContain('--only recall|retention')
  })

  test('2 where there is no data, with what is wanted', async () => {
    const { code, stdout, stderr } = await run([], { usualFolder: `${folder.path}/nowhere` })
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' })
    expect(stderr).toContain('npm run eval -- --data FOLDER')
    expect(stderr).toContain('NAME.qa.json')
  })

  test('2 where an option or the data cannot be taken; as JSON too', async () => {
    expect(await run(['--only', 'everything'])).toMatchObject({ code: 2, stdout: '' })
    expect(await run(['--quick'])).toMatchObject({ code: 2, stderr: expect.stringContaining('--quick') })
    const { code, stdout } = await run(['--json', '--data', `${folder.path}/none.jsonl`])
    expect(code).toBe(2)
    expect(JSON.parse(stdout)).toMatchObject({ error: { code: 'file_not_found' } })
  })

  test('130 for the shell after Ctrl-C', async () => {
    const program = fileURLToPath(new URL('main.ts', import.meta.url))
    const child = spawn(process.execPath, [program, '--data', file])
    child.once('spawn', () => child.kill('SIGINT'))
    // Ended by the signal itself: a shell makes 130 of it.
    expect(await once(child, 'close')).toEqual([null, 'SIGINT'])
  })
})
