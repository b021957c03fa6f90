import { onTestFinished } from 'vitest'
import { createPalimpsest, type MessageInput, type Palimpsest } from '../../packages/palimpsest/src/index.ts'
import { sqlitePlace } from '../stores.ts'

export async function open(place = sqlitePlace(), options: { zone?: string } = {}): Promise<Palimpsest> {
  const palimpsest = await createPalimpsest({ store: await place.open(), folding: 'manual', ...options })
  onTestFinished(async () => {
    await palimpsest.close()
    await place.remove()
  })
  return palimpsest
}

export type Chat = ReturnType<Palimpsest['session']>

export const say = (content: string, at?: string): MessageInput => ({
  role: 'user',
  content,
  ...(at && { at }),
})

/** The messages that a search finds, in the order of the log. */
export async function seqs(chat: Chat, query: string, options = {}): Promise<number[]> {
  return (await chat.search(query, { limit: 100, ...options })).results
    .map(({ seq }) => seq)
    .sort((a, b) => a - b)
}
