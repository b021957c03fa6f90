import { copyFileSync, readFileSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import { describe, expect, test } from 'vitest'
import {
  createPalimpsest,
  type ErasureTarget,
  type Store,
  sqlite,
} from '../../packages/palimpsest/src/index.ts'
import { restoreSqlite } from '../../packages/palimpsest/src/restore/restore-sqlite.ts'
import { NAMESPACE, TENANT } from '../fixtures/fill.ts'
import { EACH } from '../fixtures/places.ts'
import { OPTIONS, tellAll } from '../fixtures/tell.ts'
import { keptOpen } from '../kept-open.ts'
import { openInstance } from './kit.ts'

/** A database with every feature, as an earlier version wrote it: its backup has no identity and no ids of a list. */

interface Wanted {
  readonly namespace: string
  readonly target: ErasureTarget
}

async function erase(store: Store, wanted: readonly Wanted[]): Promise<void> {
  for (const { namespace, target } of wanted) {
    await using palimpsest = await createPalimpsest({ ...OPTIONS, store: keptOpen(store), namespace })
    await palimpsest.forget(target)
  }
}

async function told(store: Store): Promise<unknown> {
  const { [NAMESPACE]: first, [TENANT]: second } = (await tellAll(store, createPalimpsest)) as Record<
    string,
    Record<string, unknown>
  >
  const parts = ({ sessions, documents, found, waiting }: Record<string, unknown>) => ({
    ...{ sessions, documents, found, waiting },
  })
  return [parts(first!), parts(second!)]
}

type Told = readonly {
  readonly sessions: Readonly<Record<string, { readonly messages: unknown }>>
  readonly documents: Readonly<Record<string, { readonly now: { readonly content: string } }>>
}[]

function whatWasSaid(told: unknown): unknown {
  return (told as Told).map(({ sessions, documents }) => [
    Object.entries(sessions).map(([id, { messages }]) => [id, messages]),
    Object.entries(documents).map(([name, { now }]) => [name, now.content]),
  ])
}

async function use<Result>(file: string, work: (store: Store) => Promise<Result>): Promise<Result> {
  const store = sqlite(file, { durability: 'normal' })
  await store.open()
  try {
    return await work(store)
  } finally {
    await store.close()
  }
}

async function firstMessages(store: Store): Promise<ErasureTarget> {
  const [session] = (await store.sessions.listSessions(NAMESPACE, { limit: 100 })).filter(({ head }) => head)
  const messages = await store.log.readMessages(
    { namespace: NAMESPACE, id: session!.id },
    { limit: 2, from: 'oldest' },
  )
  return { kind: 'messages', sessionId: session!.id, seqs: messages.map(({ seq }) => seq) }
}

describe.each(EACH.filter(({ database }) => database === 'SQLite'))(
  'a backup of schema $version',
  ({ load, version }) => {
    test('goes back to the version that wrote it, as it is', async () => {
      await using place = await load()
      const file = place.address.slice('sqlite:'.length)
      const backup = `${file}.backup`
      copyFileSync(file, backup)
      await use(file, store => store.database.readIdentity())
      const restored = await restoreSqlite({ backup, path: file, keepSchema: true, open: openInstance })
      expect(restored).toMatchObject({
        schema: { from: version, to: version },
        generation: null,
        comeBack: { messages: 0, session: 0, person: 0, namespace: 0 },
        aside: expect.stringContaining('before-restore'),
      })
      const old = await place.openOld()
      const [session] = (await old.sessions.listSessions(NAMESPACE, { limit: 100 })).filter(
        ({ head }) => head,
      )
      expect(
        await old.log.readMessages({ namespace: NAMESPACE, id: session!.id }, { limit: 1, from: 'oldest' }),
      ).toHaveLength(1)
      await old.close()
      const migrated = new DatabaseSync(restored.aside!, { readOnly: true })
      expect(Number(migrated.prepare('PRAGMA user_version').get()?.['user_version'])).toBeGreaterThan(version)
      migrated.close()
    })

    test('does not bring back as it is what was erased since, unless that is said', async () => {
      await using place = await load()
      const file = place.address.slice('sqlite:'.length)
      const backup = `${file}.backup`
      copyFileSync(file, backup)
      const target = { kind: 'session', sessionId: 'harbour' } as const
      await use(file, store => erase(store, [{ namespace: NAMESPACE, target }]))
      const options = { backup, path: file, keepSchema: true, open: openInstance }
      const before = readFileSync(file)
      for (const dryRun of [true, false])
        await expect(restoreSqlite({ ...options, dryRun })).rejects.toMatchObject({
          code: 'erased_list_missing',
          details: { erasures: 1 },
          message: expect.stringMatching(/Erased after the backup: 1 session .*Nothing was changed/),
        })
      expect(readFileSync(file).length).toBe(before.length)
      expect(
        await use(file, store => store.sessions.readSession({ namespace: NAMESPACE, id: 'harbour' })),
      ).toBeNull()
      expect(await restoreSqlite({ ...options, withoutList: true })).toMatchObject({
        comeBack: { session: 1, person: 0 },
        erased: { session: 0 },
      })
    })

    test('needs no list over the database that it is of, where nothing was erased since', async () => {
      await using place = await load()
      const file = place.address.slice('sqlite:'.length)
      const backup = `${file}.backup`
      copyFileSync(file, backup)
      expect(await restoreSqlite({ backup, path: file, open: openInstance })).toMatchObject({
        schema: { from: version },
        list: null,
      })
    })

    test('needs one where the program that wrote both has erased since', async () => {
      await using place = await load()
      const file = place.address.slice('sqlite:'.length)
      const backup = `${file}.backup`
      copyFileSync(file, backup)
      const old = await place.openOld()
      const target = { kind: 'session', sessionId: 'harbour' } as const
      await old.erasure.beginErasure(NAMESPACE, { target, now: OPTIONS.clock() } as never)
      await old.close()
      await expect(restoreSqlite({ backup, path: file, open: openInstance })).rejects.toMatchObject({
        code: 'erased_list_missing',
        details: { erasures: 1 },
      })
    })

    test.for(['messages', 'session', 'person', 'namespace', 'all of them'] as const)(
      'is restored as if %s had been erased from it',
      async kind => {
        await using place = await load()
        const file = place.address.slice('sqlite:'.length)
        const [backup, direct] = [`${file}.backup`, `${file}.direct`]
        for (const copy of [backup, direct]) copyFileSync(file, copy)
        const all: Record<string, readonly Wanted[]> = await use(file, async store => ({
          messages: [{ namespace: NAMESPACE, target: await firstMessages(store) }],
          session: [{ namespace: NAMESPACE, target: { kind: 'session', sessionId: 'harbour' } }],
          person: ['ann', 'bob'].map(id => ({ namespace: NAMESPACE, target: { kind: 'person', id } })),
          namespace: [{ namespace: TENANT, target: { kind: 'namespace' } }],
        }))
        const wanted = all[kind] ?? Object.values(all).flat()
        const untouched = await use(file, told)
        await use(file, store => erase(store, wanted))
        await use(direct, store => erase(store, wanted))
        const identity = await use(file, store => store.database.readIdentity())
        const restored = await restoreSqlite({ backup, path: file, open: openInstance })
        expect(restored).toMatchObject({ withoutTarget: 0, generation: 2, schema: { from: version } })
        expect((await use(file, store => store.database.readIdentity())).id).toBe(identity.id)
        const after = await use(file, told)
        const expected = await use(direct, told)
        // One after the other, segments and memory are made anew more often than all at once.
        if (wanted.length > 1) expect(whatWasSaid(after)).toEqual(whatWasSaid(expected))
        else expect(after).toEqual(expected)
        expect(after).not.toEqual(untouched)
        const database = new DatabaseSync(file, { readOnly: true })
        expect(database.prepare('PRAGMA integrity_check').get()).toEqual({ integrity_check: 'ok' })
        database.close()
      },
    )
  },
)
