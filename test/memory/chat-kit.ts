import { onTestFinished } from 'vitest'
import {
  createPalimpsest,
  type Palimpsest,
  type PalimpsestOptions,
  type Summarizer,
  sqlite,
} from '../../packages/palimpsest/src/index.ts'
import { Clock } from './kit.ts'

export const clock = new Clock()

export const ANN = { kind: 'private', user: 'ann' } as const

export async function start(options: Partial<PalimpsestOptions> = {}): Promise<Palimpsest> {
  clock.now = Date.parse('2026-03-02T12:00:00Z')
  const palimpsest = await createPalimpsest({ store: sqlite(':memory:'), clock: clock.read, ...options })
  onTestFinished(() => palimpsest.close())
  return palimpsest
}

/** A minute later: what the person says, and a short answer. */
export async function turn(palimpsest: Palimpsest, id: string, content: string, user = 'ann'): Promise<void> {
  const chat = palimpsest.session(id, { kind: 'private', user })
  clock.now += 60_000
  await chat.append({ role: 'user', content, sender: { id: user } })
  await chat.append({ role: 'assistant', content: 'I see.' })
}

export function scripted(extractFacts: Summarizer['extractFacts'], text = 'Ann said things.'): Summarizer {
  const summarize: Summarizer['summarize'] = async () => ({ text, events: [], details: [] })
  return { name: 'scripted', version: '1', summarize, ...(extractFacts && { extractFacts }) }
}
