import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { Progress, type Terminal } from './terminal.ts'

beforeEach(() => void vi.useFakeTimers({ toFake: ['performance'] }))
afterEach(() => void vi.useRealTimers())

function terminalThat({ isTTY }: { isTTY: boolean }): { terminal: Terminal; written: string[] } {
  const written: string[] = []
  const error = { isTTY, columns: 80, write: (text: string) => written.push(text) }
  return { terminal: { error } as unknown as Terminal, written }
}

/** Ten times a second. */
function work(progress: Progress, seconds: number): void {
  for (let tenths = 0; tenths < seconds * 10; tenths++) {
    vi.advanceTimersByTime(100)
    progress.update(tenths / (seconds * 10), 'messages')
  }
  progress.end()
}

test('long work writes a line into a log now and then', () => {
  const { terminal, written } = terminalThat({ isTTY: false })
  work(new Progress(terminal, 'compacting'), 100)
  expect(written).toEqual([
    'compacting 29%  messages\n',
    'compacting 59%  messages\n',
    'compacting 89%  messages\n',
  ])
})

test('short work writes nothing into a log', () => {
  const { terminal, written } = terminalThat({ isTTY: false })
  work(new Progress(terminal, 'compacting'), 29)
  expect(written).toEqual([])
})

test('on a terminal one line is redrawn, and gone at the end', () => {
  const { terminal, written } = terminalThat({ isTTY: true })
  work(new Progress(terminal, 'compacting'), 1)
  expect(written[0]).toBe('\r\u001b[Kcompacting  0%  messages')
  expect(written.at(-1)).toBe('\r\u001b[K')
})
