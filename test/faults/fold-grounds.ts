import { copyFileSync } from 'node:fs'
import { createPalimpsest, type Policy, type Store } from '../../packages/palimpsest/src/index.ts'
import type { SessionFile } from '../../packages/palimpsest/src/store/index.ts'
import { keptOpen } from '../kept-open.ts'
import { postgresPlace, type StorePlace, sqlitePlace } from '../stores.ts'

/** A session that is due for a fold, where nobody else comes by. */
export interface Ground {
  readonly address: string
  readonly namespace: string
  open(): Promise<Store>
  stored(): Promise<SessionFile>
  remove(): Promise<void>
}

/** Any number of them, alike. */
interface Grounds {
  next(): Promise<Ground>
  remove(): Promise<void>
}

export async function fill(store: Store, policy: Policy, namespace = 'default'): Promise<void> {
  const palimpsest = await createPalimpsest({ store, policy, namespace, folding: 'manual' })
  await palimpsest.session('shared').append(
    Array.from({ length: 21 }, (_, index) => ({
      role: index % 2 ? ('assistant' as const) : ('user' as const),
      content: `Message ${index + 1}: ${'forty crates of lemons sail to Porto on Friday '.repeat(6)}`,
    })),
  )
  await palimpsest.close()
}

export async function stored(place: StorePlace): Promise<SessionFile> {
  const store = await place.open()
  try {
    return await store.transfer.exportSession({ namespace: 'default', id: 'shared' })
  } finally {
    await store.close()
  }
}

/** A file each, copied from one that is filled; whoever looks into it opens it anew, and so brings it in order. */
async function sqliteGrounds(policy: Policy): Promise<Grounds> {
  const fileOf = ({ address }: StorePlace) => address.slice('sqlite:'.length)
  const template = sqlitePlace()
  await fill(await template.open(), policy)
  return {
    next: async () => {
      const place = sqlitePlace()
      copyFileSync(fileOf(template), fileOf(place))
      return { ...place, namespace: 'default', stored: () => stored(place) }
    },
    remove: template.remove,
  }
}

/** A namespace each, and one connection to look into all of them: a schema or a connection takes longer than a fold. */
async function postgresGrounds(policy: Policy): Promise<Grounds> {
  const place = postgresPlace()
  const store = await place.open()
  let namespaces = 0
  return {
    next: async () => {
      const namespace = `ground ${++namespaces}`
      await fill(keptOpen(store), policy, namespace)
      return {
        ...place,
        namespace,
        stored: () => store.transfer.exportSession({ namespace, id: 'shared' }),
        remove: async () => {},
      }
    },
    remove: async () => {
      await store.close()
      await place.remove()
    },
  }
}

export const GROUNDS = { SQLite: sqliteGrounds, PostgreSQL: postgresGrounds } as const
