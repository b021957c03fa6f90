import type { Chat } from './contestant.ts'

export interface Turn {
  readonly outcome: 'answered' | 'threw' | 'held'
  readonly ms: number
  readonly error: string
  /** Also where it was held: once it comes to its end. */
  readonly ended: Promise<void>
}

/** Waits for a turn, but not for ever. */
export async function takeTurn(take: () => Promise<void>, patienceMs: number): Promise<Turn> {
  const began = performance.now()
  let error = ''
  const ended = take()
  const outcome = await Promise.race([
    ended.then(
      () => 'answered' as const,
      thrown => {
        error = String(thrown).split('\n', 1)[0]!.slice(0, 80)
        return 'threw' as const
      },
    ),
    new Promise<'held'>(resolve => setTimeout(resolve, patienceMs, 'held').unref()),
  ])
  return { outcome, ms: Math.round(performance.now() - began), error, ended }
}

/** A background that does not come to rest, since it tries again and again, is not waited for. */
export async function settle(chat: Chat): Promise<void> {
  await takeTurn(() => chat.settled(), 500)
}

export function counted(count: number, word: string): string {
  return `${count} ${word}${count === 1 ? '' : 's'}`
}
