import { onTestFinished } from 'vitest'
import {
  createPalimpsest,
  type PalimpsestOptions,
  type Session,
} from '../../packages/palimpsest/src/index.ts'
import { type StorePlace, sqlitePlace } from '../stores.ts'

/** A chat in a database of its own, or in that place, until the test is done. */
export async function openChat(
  options: Partial<PalimpsestOptions> = {},
  place?: StorePlace,
): Promise<Session> {
  const at = place ?? sqlitePlace()
  const palimpsest = await createPalimpsest({ store: await at.open(), folding: 'manual', ...options })
  onTestFinished(async () => {
    await palimpsest.close()
    await at.remove()
  })
  return palimpsest.session('s')
}
