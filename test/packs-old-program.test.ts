import { inflateRawSync } from 'node:zlib'
import { describe, expect, test } from 'vitest'
import { createPalimpsest, type ErasureTarget, type Palimpsest, type Store, tokens } from '../src/index.ts'
import { PACKING } from '../src/store/sql/pack-documents.ts'
import { Chat } from '../src/testing/store-contract/chat.ts'
import { runHere } from './cli/run.ts'
import { EACH, type FixturePlace } from './fixtures/places.ts'
import { keptOpen } from './kept-open.ts'

/** All that is past at once, so that a short history has packs. */
Object.assign(PACKING, { keptVersions: 1, versionsAtATime: 2 })

const NAMESPACE = 'packed'
const MINUTE = 60_000
const DAY = 1_440 * MINUTE
const clock = { now: 0 }

function open(store: Store): Promise<Palimpsest> {
  return createPalimpsest({
    ...{ store: keptOpen(store), namespace: NAMESPACE, clock: () => clock.now },
    policy: tokens({ budget: 600 }),
    folding: 'manual',
  })
}

async function fill(palimpsest: Palimpsest): Promise<void> {
  clock.now = Date.UTC(2026, 5, 1)
  const chat = palimpsest.session('chat', { kind: 'group' })
  for (let at = 0; at < 60; at++) {
    clock.now += MINUTE
    const content = `Please remember: order no. ${at} for tax is due 2026-02-1${at % 10}, word${at}x, and ann pays ${at * 3} EUR.`
    await chat.append(
      at % 2 === 0 ? { role: 'user', sender: { id: 'ann' }, content } : { role: 'assistant', content },
    )
    if (at % 4 === 3) await chat.compact()
    if (at % 20 === 19) clock.now += 2 * DAY
  }
}

/** The tables in which a word stands, also inside of packs. */
async function tablesWith(place: FixturePlace, word: string): Promise<readonly string[]> {
  const tables = await place.rows()
  const tells = (value: unknown) =>
    (value instanceof Uint8Array ? textOf(value) : String(value)).includes(word)
  return [...tables]
    .filter(([, rows]) => rows.some(row => Object.values(row).some(tells)))
    .map(([name]) => name)
}

function textOf(bytes: Uint8Array): string {
  try {
    return inflateRawSync(bytes).toString()
  } catch {
    return Buffer.from(bytes).toString()
  }
}

const flagsOf = ({ address }: FixturePlace) =>
  address.startsWith('sqlite:') ? ['--db', address.slice('sqlite:'.length)] : ['--store', address]

/** The rest is work that waits: no worker runs, and the fixture is of another year. */
const DAMAGE = [
  'file',
  'schema',
  'texts in parts',
  'rows without what they belong to',
  'sessions, row by row',
  'the packed past of documents',
]

async function damageOf(place: FixturePlace): Promise<unknown> {
  const { stdout } = await runHere(['doctor', '--deep', '--json', ...flagsOf(place)])
  const { findings } = JSON.parse(stdout) as { findings: readonly { what: string; isWell: boolean }[] }
  return findings.filter(({ what, isWell }) => !isWell && DAMAGE.includes(what)).map(({ what }) => what)
}

describe.each(EACH)(
  'a program of schema $version that runs on while its $database database is made compact',
  ({ load }) => {
    async function made(): Promise<{ place: FixturePlace; old: Store; store: Store }> {
      const place = await load()
      const old = await place.openOld()
      const store = await place.open()
      const palimpsest = await open(store)
      await fill(palimpsest)
      await palimpsest.close()
      const { code } = await runHere(['migrate', '--compact', ...flagsOf(place)])
      expect(code).toBe(0)
      expect(await tablesWith(place, 'word4x')).toContain('packs')
      return { place, old, store }
    }

    test.for<[string, ErasureTarget]>([
      ['messages', { kind: 'messages', sessionId: 'chat', seqs: [5] }],
      ['a session', { kind: 'session', sessionId: 'chat' }],
      ['a person', { kind: 'person', id: 'ann' }],
    ])('is refused where it erases %s, and this one goes on with it', async ([, target]) => {
      const { place, old, store } = await made()
      await using _ = place
      const { id } = await old.beginErasure(NAMESPACE, { target, now: clock.now } as never)
      await expect(
        (async () => {
          for (let stage = 'erasing'; stage === 'erasing'; )
            stage = (await old.continueErasure(NAMESPACE, { id, now: clock.now }))!.stage
        })(),
      ).rejects.toMatchObject({ message: expect.stringMatching(/earlier version|cannot be read|damaged/) })
      await using palimpsest = await open(store)
      palimpsest.resumeErasures()
      const { done } = await palimpsest.erased(id, { signal: AbortSignal.timeout(60_000) })
      expect(done).toBe(true)
      expect(await tablesWith(place, 'word4x')).toEqual([])
      await palimpsest.close()
      await store.close()
      expect(await damageOf(place)).toEqual([])
    })

    test('is refused where it rolls back or forks, and nothing is changed', async () => {
      const { place, old } = await made()
      await using _ = place
      const segments = async () => (await place.rows()).get('segments')
      const before = await segments()
      const chat = new Chat(old, 'chat', { namespace: NAMESPACE })
      await expect(chat.rollback(3)).rejects.toThrow()
      await expect(chat.fork('fork', 50)).rejects.toThrow()
      expect(await segments()).toEqual(before)
      expect(await damageOf(place)).toEqual([])
    })
  },
)
