import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import {
  createPalimpsest,
  type MessageInput,
  type Palimpsest,
  postgres,
  sqlite,
} from '../packages/palimpsest/src/index.ts'
import { startPostgres } from '../test/postgres/server.ts'
import { readData } from './read-data.ts'

/**
 * `node eval/check-stores.ts QUESTIONS_FOLDER TRANSCRIPT…`: through the whole product, on real SQLite and
 * PostgreSQL databases. Whether every question has the same first ten results on both, with their recall; and
 * whether every run of one and more characters of Chinese, Japanese or Korean finds every message that holds it.
 */
const [folder = '../shared/data/locomo', ...transcripts] = process.argv.slice(2)
const LENGTHS = [1, 2, 3, 4, 6, 9]
const QUERIES_EACH = 60

const place = mkdtempSync(join(tmpdir(), 'palimpsest-eval-'))
const server = await startPostgres()
const stores = {
  SQLite: sqlite(join(place, 'eval.db'), { durability: 'normal' }),
  PostgreSQL: postgres(server.url),
}
const instances = await Promise.all(
  Object.values(stores).map(store => createPalimpsest({ store, folding: 'manual' })),
)
try {
  await compareQuestions(instances)
  for (const file of transcripts) await findEverything(instances, file)
} finally {
  for (const instance of instances) await instance.close()
  await server.stop()
  rmSync(place, { recursive: true, force: true })
}

async function compareQuestions(instances: readonly Palimpsest[]): Promise<void> {
  let [questions, different, recall, whole] = [0, 0, 0, 0]
  for (const { name, messages, questions: asked } of await readData([folder])) {
    for (const instance of instances) await fill(instance, name, messages)
    for (const { question, evidence } of asked) {
      if (evidence.length === 0) continue
      const found: (string | null)[][] = []
      for (const instance of instances)
        found.push(
          (await instance.session(name).search(question)).results.map(({ externalId }) => externalId),
        )
      questions += 1
      if (JSON.stringify(found[0]) !== JSON.stringify(found[1])) different += 1
      const share = evidence.filter(id => found[0]!.includes(id)).length / evidence.length
      recall += share
      whole += share === 1 ? 1 : 0
    }
  }
  const percent = (value: number) => `${((100 * value) / questions).toFixed(1)}%`
  console.log(
    `${questions} questions: R@10 ${percent(recall)}, all evidence in 10 ${percent(whole)}; ` +
      `${different} with other results on PostgreSQL than on SQLite`,
  )
}

async function findEverything(instances: readonly Palimpsest[], file: string): Promise<void> {
  const lines = readFileSync(file, 'utf8')
    .split(/\r?\n/)
    .filter(line => line.trim() !== '')
  const messages = lines.map(line => JSON.parse(line))
  for (const instance of instances) await fill(instance, file, messages)
  const texts: readonly string[] = messages.map(({ text }) => text.normalize('NFKC').toLowerCase())
  const runs = texts.flatMap(
    text => text.match(/[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Hangul}ー]+/gu) ?? [],
  )
  for (const length of LENGTHS) {
    const all = new Set(
      runs.flatMap(run => {
        const characters = [...run]
        return characters.flatMap((_, from) =>
          from + length <= characters.length ? [characters.slice(from, from + length).join('')] : [],
        )
      }),
    )
    const step = Math.max(1, Math.floor(all.size / QUERIES_EACH))
    const queries = [...all].filter((_, place) => place % step === 0)
    let [matches, missed] = [0, 0]
    for (const query of queries) {
      const holding = texts.flatMap((text, place) => (text.includes(query) ? [place + 1] : []))
      for (const instance of instances) {
        const found = new Set(await everything(instance, file, query))
        matches += holding.length
        missed += holding.filter(seq => !found.has(seq)).length
      }
    }
    console.log(`${file}: ${queries.length} queries of ${length}: ${matches} true matches, ${missed} missed`)
  }
}

async function everything(instance: Palimpsest, session: string, query: string): Promise<readonly number[]> {
  const seqs: number[] = []
  for (let cursor: string | null = '0'; cursor !== null; ) {
    const page = await instance.session(session).search(query, { limit: 100, cursor, neighbours: 0 })
    seqs.push(...page.results.map(({ seq }) => seq))
    cursor = page.next
  }
  return seqs
}

async function fill(instance: Palimpsest, session: string, messages: readonly object[]): Promise<void> {
  const chat = instance.session(session, { kind: 'group' })
  for (let from = 0; from < messages.length; from += 500)
    await chat.append(messages.slice(from, from + 500) as MessageInput[])
  await instance.settled()
}
