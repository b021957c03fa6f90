import { readFileSync } from 'node:fs'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { ErasureTarget, Palimpsest } from '../../packages/palimpsest/src/index.ts'
import { longest, runs } from '../runs.ts'
import { forgetWholly, House } from './kit.ts'

/**
 * Any history, a backup at some moment of it, and a restore at its end. Each message has a word of its own. What is erased
 * from the original after the backup is in no byte of what was restored; all else of the backup is there.
 */

const PEOPLE = ['p-ann', 'p-bob', 'p-cem']
const SESSIONS = ['s-0', 's-1', 's-2', 's-3']
const small = fc.nat({ max: 7 })

const step = fc.oneof(
  { weight: 8, arbitrary: fc.record({ do: fc.constant('say' as const), session: small, person: small }) },
  {
    weight: 2,
    arbitrary: fc.record({ do: fc.constant('fork' as const), session: small, to: small, place: small }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('compact' as const), session: small }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('remember' as const), person: small }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('erase session' as const), session: small }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('erase person' as const), person: small }) },
  {
    weight: 2,
    arbitrary: fc.record({ do: fc.constant('erase messages' as const), session: small, place: small }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('erase all' as const) }) },
)
type Step = typeof step extends fc.Arbitrary<infer Value> ? Value : never

class History {
  readonly #palimpsest: Palimpsest
  #words = 0

  constructor(palimpsest: Palimpsest) {
    this.#palimpsest = palimpsest
  }

  async take(step: Step): Promise<void> {
    const palimpsest = this.#palimpsest
    const person = 'person' in step ? PEOPLE[step.person % PEOPLE.length]! : ''
    const id = 'session' in step ? SESSIONS[step.session % SESSIONS.length]! : ''
    switch (step.do) {
      case 'say': {
        const words = [this.#word(), this.#word()]
        await palimpsest.session(id, { kind: 'group' }).append([
          { role: 'user', sender: { id: person }, content: `${words[0]} of the harbour` },
          { role: 'assistant', content: `${words[1]} noted` },
        ])
        return
      }
      case 'fork': {
        const to = SESSIONS[step.to % SESSIONS.length]!
        const seqs = await seqsIn(palimpsest, id)
        if (seqs.length > 0 && !(await isThere(palimpsest, to)))
          await palimpsest.session(id).fork(to, seqs[step.place % seqs.length]!)
        return
      }
      case 'compact':
        if (await isThere(palimpsest, id)) await palimpsest.session(id).compact({ force: 'deep' })
        return
      case 'remember':
        await palimpsest.memory.user(person).append(`- ${this.#word()}`)
        return
      case 'erase all':
        return this.#erase({ kind: 'namespace' })
      case 'erase person':
        return this.#erase({ kind: 'person', id: person })
      case 'erase session':
        if (await isThere(palimpsest, id)) await this.#erase({ kind: 'session', sessionId: id })
        return
      case 'erase messages': {
        const seqs = await seqsIn(palimpsest, id)
        if (seqs.length > 0)
          await this.#erase({ kind: 'messages', sessionId: id, seqs: [seqs[step.place % seqs.length]!] })
      }
    }
  }

  #erase(target: ErasureTarget): Promise<void> {
    return forgetWholly(this.#palimpsest, target)
  }

  #word(): string {
    return `w${++this.#words}x`
  }
}

async function isThere(palimpsest: Palimpsest, id: string): Promise<boolean> {
  return (await palimpsest.sessions()).some(session => session.id === id)
}

async function seqsIn(palimpsest: Palimpsest, id: string): Promise<readonly number[]> {
  if (!(await isThere(palimpsest, id))) return []
  return (await palimpsest.session(id).messages({ limit: 1_000 })).map(({ seq }) => seq)
}

const wordIn = (text: string) => /w\d+x/.exec(text)?.[0] ?? text

/** The words of each session and of each person's memory. */
async function wordsIn(palimpsest: Palimpsest): Promise<Readonly<Record<string, readonly string[]>>> {
  const words: Record<string, readonly string[]> = {}
  for (const { id } of await palimpsest.sessions())
    words[id] = (await palimpsest.session(id).messages({ limit: 1_000 })).map(({ content }) =>
      wordIn(JSON.stringify(content)),
    )
  for (const id of PEOPLE) {
    const memory = (await palimpsest.memory.user(id).read())?.content
    if (memory !== undefined) words[`memory of ${id}`] = memory.match(/w\d+x/g) ?? []
  }
  return words
}

async function runHistory(house: House, before: readonly Step[], after: readonly Step[]): Promise<void> {
  const palimpsest = await house.open()
  const history = new History(palimpsest)
  for (const each of before) await history.take(each)
  const saved = await wordsIn(palimpsest)
  await house.backUp()
  for (const each of after) await history.take(each)
  const left = await wordsIn(palimpsest)
  await palimpsest.close()
  await house.restore()
  const expected: Record<string, readonly string[]> = {}
  for (const [name, words] of Object.entries(saved)) {
    const kept = words.filter(word => left[name]?.includes(word))
    if (kept.length > 0) expected[name] = kept
  }
  const restored = await house.open()
  const found = Object.fromEntries(
    Object.entries(await wordsIn(restored)).filter(([, words]) => words.length > 0),
  )
  await restored.close()
  expect(found).toEqual(expected)
  const bytes = readFileSync(house.file)
  const kept = new Set(Object.values(expected).flat())
  const gone = Object.values(saved)
    .flat()
    .filter(word => !kept.has(word))
  expect(gone.filter(word => bytes.includes(word))).toEqual([])
}

test('what was erased after a backup is in nothing that is restored, and all else is', {
  timeout: longest(600_000),
}, async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(step, { minLength: 4, maxLength: 14 }),
      fc.array(step, { minLength: 1, maxLength: 8 }),
      async (before, after) => {
        const house = new House()
        try {
          await runHistory(house, before, after)
        } finally {
          await house.remove()
        }
      },
    ),
    { numRuns: runs(6, 15) },
  )
})
