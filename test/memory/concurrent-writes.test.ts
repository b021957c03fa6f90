import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  count,
  createPalimpsest,
  type DocumentVersion,
  type Palimpsest,
  PalimpsestError,
  type Session,
  type Store,
  sqlite,
} from '../../packages/palimpsest/src/index.ts'
import { normalizeMarkdown } from '../../packages/palimpsest/src/memory/document/index.ts'
import { fileOf, Workspace } from '../../packages/palimpsest/src/memory/workspace/index.ts'
import { parseFile } from '../../packages/palimpsest/src/memory/workspace/workspace-file.ts'
import { intercepted } from '../intercepted.ts'
import { runs } from '../runs.ts'
import { Clock, temporaryFolder } from './kit.ts'

const INTERLEAVINGS = runs(40, 500)

/** What happens to one chat's memory at the same time; each leaves a mark of its own. */
type Deed =
  | 'note'
  | 'append'
  | 'section'
  | 'undo'
  | 'edit file'
  | 'edit file slowly'
  | 'remove from file'
  | 'fold'
  | 'sync'

const deed = fc.constantFrom<Deed>(
  'note',
  'note',
  'append',
  'section',
  'undo',
  'edit file',
  'edit file slowly',
  'remove from file',
  'fold',
  'sync',
  'sync',
)

const ADDING: readonly Deed[] = ['note', 'append', 'edit file', 'fold', 'sync']

const deeds = fc.oneof(
  fc.array(deed, { minLength: 2, maxLength: 8 }),
  fc.array(fc.constantFrom(...ADDING), { minLength: 2, maxLength: 8 }),
)

/** The same store, but every call waits for its turn, and whose turn it is the scheduler says. */
function inTurns(store: Store, scheduler: fc.Scheduler): Store {
  return intercepted(store, (name, call) => {
    if (name === 'open' || name === 'close') return call
    return async (...given) => {
      await scheduler.schedule(Promise.resolve(), name)
      return call(...given)
    }
  })
}

class Place {
  readonly chat: Session
  readonly #workspace: Workspace
  readonly #path: string
  readonly #scheduler: fc.Scheduler
  readonly marks: string[] = []
  #person = Promise.resolve()

  constructor(
    palimpsest: Palimpsest,
    { workspace, folder, scheduler }: { workspace: Workspace; folder: string; scheduler: fc.Scheduler },
  ) {
    this.chat = palimpsest.session('chat', { user: 'ann' })
    this.#workspace = workspace
    this.#scheduler = scheduler
    this.#path = join(folder, fileOf({ layer: 'chat', key: 'chat' }))
  }

  async do(deed: Deed, place: number): Promise<void> {
    await this.#turn(deed)
    const mark = `${deed.replaceAll(' ', '-')}-${place}-mark`
    switch (deed) {
      case 'note': {
        const tools = await this.chat.memoryTools()
        await tools.execute('write_chat_memory', { section: 'Notes', content: `Know ${mark}` })
        break
      }
      case 'append':
        await this.chat.memory.append(`- by hand: ${mark}`, { section: 'History' })
        break
      case 'section':
        await this.chat.memory.updateSection('About this conversation', `- it is about ${mark}`)
        break
      case 'undo':
        return this.chat.memory.undo().then(() => {}, ignoreRefusal)
      case 'edit file':
      case 'edit file slowly':
        await this.#atTheFile(async () => {
          const text = edited(this.read(), mark)
          // Whatever is written there meanwhile, this is what is saved.
          if (deed === 'edit file slowly') await this.#turn(deed)
          writeFileSync(this.#path, text)
        })
        break
      case 'remove from file':
        return this.#atTheFile(async () => {
          writeFileSync(this.#path, this.read().replace(/^- .*lemons.*\n/m, ''))
        })
      case 'fold':
        await this.chat.compact({ force: true })
        return
      default:
        await this.#workspace.sync()
        return
    }
    this.marks.push(mark)
  }

  /** One person, who does one thing after the other. */
  #atTheFile(deed: () => Promise<void>): Promise<void> {
    this.#person = this.#person.then(deed)
    return this.#person
  }

  #turn(name: string): Promise<void> {
    return this.#scheduler.schedule(Promise.resolve(), name)
  }

  read(): string {
    return readFileSync(this.#path, 'utf8')
  }

  sync(): Promise<unknown> {
    return this.#workspace.sync()
  }
}

/** As a person would: a line under a heading that is there, or at the end. */
function edited(text: string, mark: string): string {
  const lines = text.split('\n')
  const heading = lines.indexOf('## History')
  lines.splice(heading === -1 ? lines.length - 2 : heading + 1, 0, `- in the file: ${mark}`)
  return lines.join('\n')
}

function ignoreRefusal(error: unknown): void {
  if (!PalimpsestError.isInstance(error)) throw error
}

async function withPlace(
  scheduler: fc.Scheduler,
  isSmall: boolean,
  use: (place: Place) => Promise<void>,
): Promise<void> {
  const folder = temporaryFolder()
  const clock = new Clock()
  const store = sqlite(':memory:', { durability: 'normal' })
  const turns = inTurns(store, scheduler)
  const policy = count({ threshold: 20, keepLast: 1 })
  const palimpsest = await createPalimpsest({
    store: turns,
    policy,
    folding: 'manual',
    clock: clock.read,
    // Then it is condensed with nearly every change.
    ...(isSmall && { memory: { budgets: { chat: 120 } } }),
  })
  const workspace = new Workspace({
    store: turns,
    namespace: 'default',
    folder: folder.path,
    clock: clock.read,
    owner: 'me',
    warn: () => {},
    onError: error => {
      throw error
    },
  })
  try {
    await use(new Place(palimpsest, { workspace, folder: folder.path, scheduler }))
  } finally {
    await scheduler.waitFor(workspace.close())
    await palimpsest.close()
    folder.remove()
  }
}

async function allVersions(place: Place): Promise<readonly DocumentVersion[]> {
  return place.chat.memory.versions({ limit: 1_000 })
}

describe('one chat’s memory', () => {
  it('loses nothing that a tool, a person, a file and a fold write at once', async () => {
    await fc.assert(
      fc.asyncProperty(fc.scheduler(), deeds, fc.boolean(), (scheduler, deeds, isSmall) =>
        withPlace(scheduler, isSmall, async place => {
          const { chat } = place
          await scheduler.waitFor(begin(place))
          await scheduler.waitFor(Promise.all(deeds.map((deed, index) => place.do(deed, index))))
          await scheduler.waitFor(chat.compact({ force: true }))
          await scheduler.waitFor(place.sync())
          await scheduler.waitFor(place.sync())
          const document = (await scheduler.waitFor(chat.memory.read()))!
          const versions = await scheduler.waitFor(allVersions(place))
          expect(versions.map(({ version }) => version)).toEqual(
            versions.map((_, index) => versions.length - index),
          )
          expect(versions[0]).toMatchObject({ version: document.version, content: document.content })
          const everything = versions.map(({ content }) => content).join('\n')
          expect(place.marks.filter(mark => !everything.includes(mark))).toEqual([])
          // Where nobody took anything away, all of it is still there.
          if (!isSmall && deeds.every(deed => ADDING.includes(deed)))
            expect(place.marks.filter(mark => !document.content.includes(mark))).toEqual([])
          const file = parseFile({ layer: 'chat', key: 'chat' }, normalizeMarkdown(place.read()))
          expect(file).toMatchObject({
            isEnded: true,
            parts: [{ content: normalizeMarkdown(document.content) }],
          })
        }),
      ),
      { numRuns: INTERLEAVINGS },
    )
  })
})

async function begin(place: Place): Promise<void> {
  await place.chat.append([
    { role: 'user', content: 'Forty crates of lemons sail to Porto on Friday, says the harbour office.' },
    { role: 'assistant', content: 'I will tell the crane driver about the forty crates.' },
    { role: 'user', content: 'We agreed to pay 1,299.50 EUR for all the lemons in April.' },
  ])
  await place.chat.memory.append('- the lemons are yellow', { section: 'History' })
  await place.sync()
}
