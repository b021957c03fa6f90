import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'vitest'
import {
  compose,
  count,
  createPalimpsest,
  type Palimpsest,
  type PalimpsestOptions,
  type Session,
  sqlite,
  tokens,
} from '../../packages/palimpsest/src/index.ts'
import { bytesInFiles } from './bytes-in-files.ts'

/**
 * Ann and Bob talk with a bot, each alone and both in a group. Whatever is Ann's bears one of these, and nothing else
 * does: her id, her name, and her words.
 */
export const ANN = 'ann-7f3a91'
export const NAME = 'Annabel-e2b6'
export const WORDS = 'zebra-5c1d77'
export const CANARIES = [ANN, NAME, WORDS] as const

export const ANNS_CHAT = `telegram:${ANN}`
export const BOBS_CHAT = 'telegram:bob'
export const GROUP = 'group:42'
export const FORK = 'group:42/fork'

const TOPICS = [
  'the lemons from Porto',
  'the invoice of Friday',
  'a berth in the harbour',
  'forty crates of tea',
]

/** A folder with a database and a workspace that processes work on, one after the other. */
export class World {
  readonly root = mkdtempSync(join(tmpdir(), 'palimpsest-erasure-'))
  readonly file = join(this.root, 'test.db')
  readonly folder = join(this.root, 'files')
  readonly errors: unknown[] = []
  readonly #opened: Palimpsest[] = []

  async open(options: Partial<PalimpsestOptions> = {}): Promise<Palimpsest> {
    const palimpsest = await createPalimpsest({
      store: sqlite(this.file, { durability: 'normal' }),
      policy: compose(count({ threshold: 8, keepLast: 4 }), tokens({ budget: 1_600 })),
      folding: 'manual',
      workspace: this.folder,
      onError: error => this.errors.push(error),
      ...options,
    })
    this.#opened.push(palimpsest)
    return palimpsest
  }

  async remove(): Promise<void> {
    for (const palimpsest of this.#opened) await palimpsest.close()
    rmSync(this.root, { recursive: true, force: true })
  }

  /** Where any of it still is: in the database, its log, its index and the files of memory. */
  found(canaries: readonly string[] = CANARIES): Readonly<Record<string, Readonly<Record<string, number>>>> {
    const found = canaries.map(canary => [canary, bytesInFiles(this.root, canary)] as const)
    return Object.fromEntries(found.filter(([, files]) => Object.keys(files).length > 0))
  }
}

/** Everything that there can be of somebody: messages, versions, forks, folds of two levels, pins, memory, files. */
export async function fill(palimpsest: Palimpsest, { rounds = 12 } = {}): Promise<void> {
  const anns = palimpsest.session(ANNS_CHAT, { user: ANN })
  const bobs = palimpsest.session(BOBS_CHAT, { user: 'bob' })
  const group = palimpsest.session(GROUP, { kind: 'group', scope: 'work' })
  for (let round = 0; round < rounds; round++) {
    const topic = TOPICS[round % TOPICS.length]!
    await talk(anns, { id: ANN, name: NAME }, `I need ${WORDS} with ${topic}, number ${round}`)
    await talk(bobs, { id: 'bob', name: 'Bob' }, `My boat needs ${topic}, number ${round}`)
    await talk(group, { id: ANN, name: NAME }, `I decided on ${WORDS} with ${topic}, number ${round}`)
    await talk(group, { id: 'bob', name: 'Bob' }, `We agreed to pay for ${topic} by Friday, number ${round}`)
    for (const session of [anns, bobs, group]) await session.compact()
  }
  await group.edit(1, `I said ${WORDS} before I thought`)
  await group.pin(1)
  await group.pin(3)
  await group.fork(FORK, (await group.count()) - 2)
  await palimpsest.memory.user(ANN).append(`- likes ${WORDS}`, { section: 'Preferences' })
  await palimpsest.memory.user('bob').append('- likes boats', { section: 'Preferences' })
  const tools = await anns.memoryTools()
  await tools.execute('write_chat_memory', { section: 'Notes', content: `Wants ${WORDS}` })
  for (const session of [anns, bobs, group]) await session.context()
  await palimpsest.settled()
  await palimpsest.syncWorkspace()
}

async function talk(session: Session, sender: { id: string; name: string }, text: string): Promise<void> {
  const filler =
    'and the harbour office wants to know about it before the ship sails on the next tide '.repeat(6)
  await session.append([
    { role: 'user', sender, content: `${text}. ${filler}`, externalId: `${sender.id}/${session.id}/${text}` },
    { role: 'assistant', content: `The office knows. ${filler}` },
  ])
}

/** What others have, which has to stay as it is. */
export async function othersOf(palimpsest: Palimpsest): Promise<unknown> {
  return {
    chat: await palimpsest.session(BOBS_CHAT).export(),
    context: (await palimpsest.session(BOBS_CHAT).context()).toOpenAI(),
    memory: await palimpsest.memory.user('bob').read(),
    said: (await palimpsest.session(GROUP).messages({ limit: 1_000 }))
      .filter(({ sender }) => sender?.id !== ANN)
      .map(({ seq, content, sender, at, role }) => ({ seq, content, sender, at, role })),
  }
}

/** Nothing of it is to be seen by any call. */
export async function expectUnseen(palimpsest: Palimpsest): Promise<void> {
  const seen: unknown[] = []
  for (const { id } of await palimpsest.sessions()) {
    const session = palimpsest.session(id)
    seen.push(
      id,
      await session.info(),
      await session.export(),
      await session.segments('all'),
      await session.pins(),
    )
    seen.push((await session.context({ budget: 100_000 })).toOpenAI(), (await session.context()).toText())
    seen.push(await session.memory.read(), await session.memory.versions(), await session.search(WORDS))
  }
  seen.push(
    await palimpsest.memory.list(),
    await palimpsest.memory.user(ANN).read(),
    await palimpsest.search(WORDS),
  )
  const text = JSON.stringify(seen)
  expect(CANARIES.filter(canary => text.includes(canary))).toEqual([])
}
