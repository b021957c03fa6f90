import { afterAll, describe, expect, test } from 'vitest'
import { temporaryFolder } from '../test/cli/run.ts'
import { readData } from './read-data.ts'

const folder = temporaryFolder()
afterAll(() => folder.remove())

const MESSAGES = [
  {
    externalId: 'a',
    role: 'user',
    sender: 'Ann',
    at: '2026-03-02T09:00:00Z',
    text: 'The boat is called 小鱼.',
  },
  { externalId: 'b', role: 'assistant', sender: 'Ben', at: '2026-03-02T09:00:30Z', text: 'A good name! 😀' },
]
const QUESTION = { question: 'What is the boat called?', answer: '小鱼', evidence: ['a'], category: 4 }

const jsonl = (messages: readonly object[]) =>
  messages.map(message => `${JSON.stringify(message)}\n`).join('')

/** Writes both files under a name of their own, and answers with the path of the first. */
let written = 0
function write(messages: string | readonly object[], questions: unknown): string {
  const name = `chat-${++written}`
  folder.file(
    `${name}.qa.json`,
    typeof questions === 'string' ? questions : JSON.stringify(questions, null, 1),
  )
  return folder.file(`${name}.jsonl`, typeof messages === 'string' ? messages : jsonl(messages))
}

async function problem(...paths: string[]): Promise<string> {
  const error = await readData(paths).then(
    () => expect.unreachable(),
    error => error,
  )
  return error.message
}

describe('a conversation', () => {
  test('is read with its questions, by either of its files, once', async () => {
    const file = write(MESSAGES, [QUESTION])
    const [conversation, ...others] = await readData([file, file.replace('.jsonl', '.qa.json')])
    expect(others).toEqual([])
    expect(conversation).toEqual({
      name: `chat-${written}`,
      messages: MESSAGES.map(message => ({ ...message, at: new Date(message.at).toISOString() })),
      questions: [QUESTION],
    })
  })

  test('may have Windows line ends and byte order marks', async () => {
    const plain = await readData([write(MESSAGES, [QUESTION])])
    const bom = '\ufeff'
    const file = write(
      bom + jsonl(MESSAGES).replaceAll('\n', '\r\n'),
      `${bom}[\r\n${JSON.stringify(QUESTION)}\r\n]`,
    )
    expect(await readData([file])).toEqual([{ ...plain[0], name: `chat-${written}` }])
  })

  test('leaves out adversarial questions and repeats, and fills in what is left out', async () => {
    const bare = [MESSAGES[0]!, MESSAGES[0]!, { role: 'user', text: 'ok' }]
    const questions = [
      { question: 'How many boats?', answer: 1 },
      { ...QUESTION, category: 5, evidence: ['nowhere'] },
      { ...QUESTION, category: null, evidence: ['line 3'] },
    ]
    const [conversation] = await readData([write(bare, questions)])
    expect(conversation!.messages).toEqual([
      { ...MESSAGES[0], at: '2026-03-02T09:00:00.000Z' },
      { externalId: 'line 3', role: 'user', sender: 'user', at: '2026-03-02T09:00:00.000Z', text: 'ok' },
    ])
    expect(conversation!.questions).toEqual([
      { question: 'How many boats?', answer: '1', evidence: [], category: 0 },
      { ...QUESTION, category: 0, evidence: ['line 3'] },
    ])
  })

  test('is one of a folder', async () => {
    const place = temporaryFolder()
    for (const name of ['b', 'a.b']) {
      place.file(`${name}.jsonl`, jsonl(MESSAGES))
      place.file(`${name}.qa.json`, JSON.stringify([QUESTION]))
    }
    place.file('README.md', 'not one of them')
    expect((await readData([place.path])).map(({ name }) => name)).toEqual(['a.b', 'b'])
    place.remove()
  })
})

describe('what is wrong is named, with its file', () => {
  test('and its line in a transcript', async () => {
    const file = write(`${jsonl(MESSAGES)}{"role":"user","text":`, [QUESTION])
    expect(await problem(file)).toContain(`${file} cannot be taken`)
    expect(await problem(file)).toContain('line 3: ')
    expect(await problem(write([{ role: 'nobody', text: 'hi' }], []))).toContain('line 1: role: "nobody"')
    expect(await problem(write('', []))).toContain('holds no message')
  })

  test('and its place among the questions', async () => {
    const broken = write(MESSAGES, '[\n{"question":"?",\n oops')
    expect(await problem(broken)).toContain(`${broken.replace('.jsonl', '.qa.json')}: line 3, column 2: `)
    expect(await problem(write(MESSAGES, {}))).toContain('qa.json: is no list of questions')
    const second = (question: object) => problem(write(MESSAGES, [QUESTION, question]))
    expect(await second({ question: '?' })).toContain('question 2: answer: ')
    expect(await second({ ...QUESTION, category: 'hard' })).toContain('question 2: category: ')
    expect(await second({ ...QUESTION, evidence: ['a', 'z'] })).toContain(
      'question 2: evidence "z" is no externalId in ',
    )
  })

  test('where one of the two, or both, are not there', async () => {
    const lonely = folder.file('lonely.jsonl', jsonl(MESSAGES))
    expect(await problem(lonely)).toContain('There is no file ')
    expect(await problem(lonely)).toContain('lonely.qa.json')
    expect(await problem(folder.file('asked.qa.json', '[]'))).toContain('asked.jsonl')
    expect(await problem(`${folder.path}/nowhere`)).toContain('is neither a folder nor a file that ends in')
    const empty = temporaryFolder()
    expect(await problem(empty.path)).toContain(`There is no .jsonl in ${empty.path}`)
    empty.remove()
  })
})
