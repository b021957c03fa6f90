import assert from 'node:assert/strict'
import fc from 'fast-check'
import { afterAll, beforeAll, test } from 'vitest'
import { runs } from '../../../../test/runs.ts'
import { sqlitePlace } from '../../../../test/stores.ts'
import type { Content, MessageInput, Role } from '../log/index.ts'
import {
  type Classic,
  type ClassicSession,
  createClassic,
  type FullHistory,
  type ResizeHandler,
  type WindowMessage,
} from './index.ts'

/** Two processes that work on one database: a restart goes on in the other one. */
const place = sqlitePlace()
const processes: Classic[] = []

beforeAll(async () => {
  for (const _ of [1, 2])
    processes.push(
      await createClassic({
        store: await place.open(),
        indexing: 'off',
        memory: { extract: 'off' },
        clock: () => now++,
      }),
    )
})

afterAll(async () => {
  for (const classic of processes) await classic.close()
  await place.remove()
})

let now = Date.UTC(2026, 0, 15)

interface Said {
  readonly role: Role
  readonly content: Content
}

const text = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.constantFrom('yes', 'no', '好的', 'Shall we ship on Friday?', '🎉 ##\r\n[Ann]: hi'),
  },
  { weight: 1, arbitrary: fc.string({ minLength: 1, maxLength: 60, unit: 'binary' }) },
  { weight: 1, arbitrary: fc.integer({ min: 1, max: 200 }).map(length => 'words '.repeat(length)) },
)
const content: fc.Arbitrary<Content> = fc.oneof(
  { weight: 6, arbitrary: text },
  { weight: 1, arbitrary: text.map(said => [{ type: 'text' as const, text: said }]) },
  {
    weight: 1,
    arbitrary: fc.constant([{ type: 'image' as const, url: 'https://example.com/a.png', width: 3 }]),
  },
)
const message: fc.Arbitrary<Said> = fc.record({
  role: fc.constantFrom('user', 'assistant', 'system'),
  content,
})
const messages = fc.array(message, { minLength: 1, maxLength: 4 })

/** How many of a list, whatever its length. */
const share = fc.double({ min: 0, max: 1, noNaN: true })
const part = (list: readonly unknown[], of: number) => Math.floor(list.length * of)

type Change = (current: WindowMessage[], full: FullHistory) => readonly Said[] | Promise<readonly Said[]>

/** Windows of every odd kind. */
const change: fc.Arbitrary<Change> = fc.oneof(
  fc.constant<Change>(current => current),
  fc.constant<Change>(() => []),
  fc.constant<Change>(current => current.toReversed()),
  fc.constant<Change>(current => current.map(({ role, content }) => ({ role, content }))),
  fc.constant<Change>(current => [...current, ...current]),
  share.map<Change>(of => current => current.slice(part(current, of))),
  share.map<Change>(of => current => current.slice(0, part(current, of))),
  share.map<Change>(of => current => {
    current.splice(0, part(current, of))
    return current
  }),
  fc.tuple(share, share, message).map<Change>(([drop, at, own]) => current => {
    const left = current.slice(part(current, drop))
    return left.toSpliced(part(left, at), 0, own as WindowMessage)
  }),
  fc.tuple(messages, share).map<Change>(([own, of]) => current => [
    ...own,
    ...current.slice(part(current, of)),
  ]),
  share.map<Change>(of => async (_current, full) => {
    const all = await full.toArray()
    return all.slice(part(all, of))
  }),
  fc.tuple(share, content).map<Change>(([of, other]) => current => {
    const at = part(current, of)
    return current.map((message, index) => (index === at ? { ...message, content: other } : message))
  }),
)

const JUNK: readonly unknown[] = [
  undefined,
  42,
  'lite',
  [[], []],
  { curent: [] },
  { current: 3 },
  { current: [{ role: 'user', content: '' }] },
  { current: [null] },
  [[], [], 'memo'],
  { memo: [] },
]

type Answer =
  | {
      readonly kind: 'window'
      readonly change: Change
      readonly memo: number | null
      readonly tuple: boolean
    }
  | { readonly kind: 'memo'; readonly memo: number }
  | { readonly kind: 'junk'; readonly returned: unknown }
  | { readonly kind: 'throws' }

const memo = fc.option(fc.integer(), { nil: null })
const answer: fc.Arbitrary<Answer> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({ kind: fc.constant('window' as const), change, memo, tuple: fc.boolean() }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('memo' as const), memo: fc.integer() }) },
  {
    weight: 1,
    arbitrary: fc.record({ kind: fc.constant('junk' as const), returned: fc.constantFrom(...JUNK) }),
  },
  { weight: 1, arbitrary: fc.constant({ kind: 'throws' as const }) },
)

type Step =
  | { readonly do: 'append'; readonly messages: readonly Said[] }
  | { readonly do: 'restart' }
  | {
      readonly do: 'resize'
      readonly force: true | 'lite' | 'nap' | undefined
      readonly policy: string | null | undefined
      readonly answer: Answer
      readonly meanwhile: readonly Said[]
    }

const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 3, arbitrary: fc.record({ do: fc.constant('append' as const), messages }) },
  { weight: 1, arbitrary: fc.constant({ do: 'restart' as const }) },
  {
    weight: 4,
    arbitrary: fc.record({
      do: fc.constant('resize' as const),
      force: fc.constantFrom<true | 'lite' | 'nap' | undefined>(true, 'lite', 'nap', undefined, undefined),
      // `undefined`: the rules.
      policy: fc.constantFrom('lite', 'deep', 'nap', null, undefined),
      answer,
      meanwhile: fc.oneof(
        { weight: 3, arbitrary: fc.constant<Said[]>([]) },
        { weight: 1, arbitrary: messages },
      ),
    }),
  },
)

const SETTINGS = { everyNTurns: 2, 'session.resize.max_current_chars': 2_000, maxKeepMessagesCount: 6 }

/** What the session has to show, kept beside it. */
class History {
  readonly id = `history ${histories++}`
  #process = 0
  session!: ClassicSession
  expected: readonly Said[] = []
  memo: object = {}
  #log: readonly unknown[] = []

  async open(): Promise<void> {
    this.#process = 1 - this.#process
    this.session = await processes[this.#process]!.session(this.id, SETTINGS)
  }

  async append(said: readonly Said[]): Promise<void> {
    await this.session.append(said as MessageInput[])
    this.expected = [...this.expected, ...said]
  }

  async resize({ force, policy, answer, meanwhile }: Step & { do: 'resize' }): Promise<void> {
    let [window, memo]: [readonly Said[], object] = [this.expected, this.memo]
    const handler: ResizeHandler = async (full, current, given) => {
      assert.deepEqual(bare(current), bare(this.expected))
      assert.deepEqual(given, this.memo)
      const before = this.expected.length
      if (meanwhile.length > 0) await this.append(meanwhile)
      if (answer.kind === 'throws') throw new Error('thrown')
      if (answer.kind === 'junk') return answer.returned as never
      if (answer.memo !== null) memo = { answer: answer.memo }
      if (answer.kind === 'memo') return { memo }
      const changed = await answer.change(current, full)
      window = [...bare(changed), ...this.expected.slice(before)]
      return answer.tuple ? [full, changed, memo] : { current: changed as never, memo }
    }
    this.session.setResizeHandlers({ lite: handler, deep: handler, nap: handler })
    this.session.setPolicyHandler(policy === undefined ? null : async () => policy)
    const outcome = await this.session.resize({ ...(force && { force }) }).catch(() => 'refused' as const)
    if (outcome === null || outcome === 'refused' || outcome.outcome === 'failed') {
      assert.equal(outcome === 'refused', answer.kind === 'junk' && outcome !== null)
      return
    }
    if (answer.kind !== 'memo' && window !== this.expected) this.expected = window
    this.memo = memo
  }

  check(): void {
    assert.deepEqual(bare(this.session.currentHistory), bare(this.expected))
    assert.deepEqual(this.session.memo, this.memo)
  }

  /** Nothing of the log is lost or changed, and each message is raw or under one segment. */
  async checkLog(): Promise<void> {
    if ((await this.session.chat.info()) === null) return
    const { messages: log, segments, compactedThrough } = await this.session.chat.export()
    assert.deepEqual(log.slice(0, this.#log.length), this.#log)
    this.#log = log
    const shown = segments.filter(({ rolledInto }) => rolledInto === null)
    for (const { seq } of log) {
      const covering = shown.filter(({ fromSeq, toSeq }) => fromSeq <= seq && seq <= toSeq)
      assert.equal(covering.length, seq <= compactedThrough ? 1 : 0)
    }
  }
}

let histories = 0

/** Half characters are kept as they are. */
function bare(messages: readonly Said[]): readonly Said[] {
  return messages.map(({ role, content }) => ({ role, content }))
}

test('whatever handlers return, the log is whole and the window is what they returned', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(step, { minLength: 2, maxLength: 6 }),
      fc.integer({ min: 600, max: 6_000 }),
      async (steps, budget) => {
        const history = new History()
        await history.open()
        for (const step of steps) {
          if (step.do === 'append') await history.append(step.messages)
          else if (step.do === 'restart') await history.open()
          else await history.resize(step)
          history.check()
          if (step.do === 'resize') await history.checkLog()
        }
        const { currentHistory } = history.session
        await history.open()
        assert.deepEqual(history.session.currentHistory, currentHistory)
        history.check()
        await history.checkLog()
        if (history.session.turns === 0) return
        const { report } = await history.session.context({ budget })
        assert.ok(report.tokens <= budget)
      },
    ),
    { numRuns: runs(120, 1_000) },
  )
})
