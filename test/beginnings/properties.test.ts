import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
  type Context,
  count,
  createPalimpsest,
  type Palimpsest,
  type Session,
} from '../../packages/palimpsest/src/index.ts'
import { runs } from '../runs.ts'
import { shownRanges } from '../shown-ranges.ts'
import { PLACES } from '../stores.ts'

const VIEWS = [{}, { budget: 200_000 }, { budget: 700 }, { instructions: 'Be brief.', query: 'word1 word2' }]

const step = fc.oneof(
  { weight: 5, arbitrary: fc.record({ do: fc.constant('say' as const), by: fc.nat(1), many: fc.nat(5) }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constant('begin' as const), by: fc.nat(1) }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('undo' as const), by: fc.nat(1) }) },
  {
    weight: 2,
    arbitrary: fc.record({ do: fc.constant('fold' as const), by: fc.nat(1), force: fc.boolean() }),
  },
  {
    weight: 1,
    arbitrary: fc.record({ do: fc.constant('rollback' as const), by: fc.nat(1), messages: fc.nat(9) }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('edit' as const), by: fc.nat(1), place: fc.nat(30) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('move' as const), by: fc.nat(1), how: fc.boolean() }) },
)
type Step = typeof step extends fc.Arbitrary<infer Value> ? Value : never

interface Said {
  readonly seq: number
  mark: string
}

/** What the log shows, and where it begins anew; beside it, what contexts said right before each beginning. */
class Model {
  #id: string
  readonly #instances: readonly Palimpsest[]
  #said: Said[] = []
  #beginnings: { readonly after: number; readonly before: readonly string[]; isUntouched: boolean }[] = []
  #marks = 0

  constructor(id: string, instances: readonly Palimpsest[]) {
    this.#id = id
    this.#instances = instances
  }

  chat(by: number): Session {
    return this.#instances[by]!.session(this.#id)
  }

  get beginsAfter(): number {
    return this.#beginnings.at(-1)?.after ?? 0
  }

  async take(step: Step): Promise<void> {
    const chat = this.chat(step.by)
    if (this.#said.length === 0 && step.do !== 'say') return
    switch (step.do) {
      case 'say':
        for (let index = 0; index <= step.many; index++)
          await this.#say(chat, index % 2 === 0 ? 'user' : 'assistant')
        this.#touch()
        return
      case 'begin': {
        const before = await contents(chat)
        const begun = await chat.newBeginning()
        const newest = this.#said.at(-1)!.seq
        if (newest <= this.beginsAfter) return expect(begun).toBeNull()
        expect(begun?.afterSeq).toBe(newest)
        this.#beginnings.push({ after: newest, before, isUntouched: true })
        return
      }
      case 'undo': {
        const last = this.#beginnings.pop()
        const undone = await chat.undoNewBeginning()
        expect(undone?.afterSeq).toBe(last?.after)
        if (last?.isUntouched) expect(await contents(chat)).toEqual(last.before)
        for (const earlier of this.#beginnings) earlier.isUntouched &&= last?.isUntouched === true
        return
      }
      case 'fold':
        await chat.compact(step.force ? { force: true } : {})
        // With nothing said since, a fold makes only what the beginning asks for.
        if (this.#said.at(-1)!.seq > this.beginsAfter) this.#touch()
        return
      case 'rollback': {
        const toSeq = this.#said.at(-1 - step.messages)?.seq ?? 0
        await chat.rollback(toSeq)
        if (toSeq < this.#said.at(-1)!.seq) this.#touch()
        this.#said = this.#said.filter(({ seq }) => seq <= toSeq)
        this.#beginnings = this.#beginnings.filter(({ after }) => after <= toSeq)
        return
      }
      case 'edit': {
        const message = this.#said[step.place % this.#said.length]!
        message.mark = this.#newMark()
        await chat.edit(message.seq, contentOf(message.mark))
        return this.#touch()
      }
      case 'move':
        return this.#move(chat, step)
    }
  }

  /** To a fork, or through a file: it goes on there. */
  async #move(chat: Session, { by, how }: Extract<Step, { do: 'move' }>): Promise<void> {
    const id = `${this.#id}+`
    if (how) await chat.fork(id)
    else {
      const file = await chat.export()
      await this.#instances[by]!.import({ ...file, id })
      expect({ ...(await this.#instances[by]!.session(id).export()), id: file.id }).toEqual(file)
    }
    this.#id = id
    this.#touch()
  }

  #touch(): void {
    for (const beginning of this.#beginnings) beginning.isUntouched = false
  }

  #newMark(): string {
    this.#marks += 1
    return `mark${this.#marks}x`
  }

  async #say(chat: Session, role: 'user' | 'assistant'): Promise<void> {
    const mark = this.#newMark()
    const { messages } = await chat.append({ role, content: contentOf(mark) })
    this.#said.push({ seq: messages[0]!.seq, mark })
  }

  async check(): Promise<void> {
    if (this.#said.length === 0 && this.#marks === 0) return
    for (const options of VIEWS) {
      const context = await this.chat(0).context(options)
      expect(context.report.beginsAfter).toBe(this.beginsAfter === 0 ? null : this.beginsAfter)
      const shown = conversationOf(context)
      for (const { seq, mark } of this.#said)
        if (seq <= this.beginsAfter) expect(`${mark} ${shown.includes(mark)}`).toBe(`${mark} false`)
        else if (!shown.includes(mark))
          expect(await shownRanges(this.chat(0), context.sessionMemory)).toSatisfy(covers(seq))
      const other = await this.chat(1).context(options)
      expect([other.instructions, other.messages]).toEqual([context.instructions, context.messages])
    }
    const info = await this.chat(1).info()
    expect(info?.beginsAfter).toBe(this.beginsAfter === 0 ? null : this.beginsAfter)
    const segments = await this.chat(1).segments('all')
    for (const { after } of this.#beginnings)
      expect(segments.filter(({ fromSeq, toSeq }) => fromSeq <= after && toSeq > after)).toEqual([])
  }

  async checkFound(): Promise<void> {
    for (const { seq, mark } of this.#said) {
      const { results } = await this.chat(0).search(mark)
      expect(results.map(({ seq: found }) => found)).toContain(seq)
    }
    const tools = this.#marks === 0 ? null : await this.chat(0).memoryTools()
    const oldest = this.#said[0]
    if (tools && oldest)
      expect(JSON.stringify(await tools.execute('query_history', { query: oldest.mark }))).toContain(
        oldest.mark,
      )
  }
}

const contentOf = (mark: string) => `We talked about ${mark}, word1 and 12 boxes of tea for Ann.`

const isVolatile = (text: string) => text.startsWith('<recent_changes') || text.startsWith('<recall')

/** The raw messages and the session memory. */
function conversationOf({ messages }: Context): string {
  return messages
    .map(({ content }) => (typeof content === 'string' ? content : JSON.stringify(content)))
    .filter(text => !isVolatile(text))
    .join('\n')
}

async function contents(chat: Session): Promise<readonly string[]> {
  const shown: string[] = []
  for (const options of VIEWS.slice(0, 3)) shown.push(conversationOf(await chat.context(options)))
  return shown
}

const covers = (seq: number) => (ranges: readonly (readonly number[])[]) =>
  ranges.some(([from, to]) => from! <= seq && seq <= to!)

describe.for(Object.entries(PLACES))('new beginnings on %s', ([name, newPlace]) => {
  const place = newPlace()
  let instances: readonly Palimpsest[] = []
  let sessions = 0

  beforeAll(async () => {
    const open = async () =>
      createPalimpsest({
        store: await place.open(),
        policy: count({ threshold: 8, keepLast: 3 }),
        folding: 'manual',
      })
    instances = [await open(), await open()]
  })

  afterAll(async () => {
    for (const instance of instances) await instance.close()
    await place.remove()
  })

  it('contexts hold nothing of before them, search finds all, taking one back shows the same again', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 3, maxLength: 14 }), async steps => {
        sessions += 1
        const model = new Model(`chat ${sessions}`, instances)
        for (const step of steps) {
          await model.take(step)
          await model.check()
        }
        await model.checkFound()
      }),
      { numRuns: name === 'SQLite' ? runs(12, 30) : runs(3, 8) },
    )
  })
})
