import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { MessageInput } from 'palimpsest/internals/log/index'
import { tokens } from 'palimpsest/internals/policy/index'
import { afterAll, expect, test } from 'vitest'
import { compare } from './compare.ts'
import { openTranscripts, type Transcript } from './transcript/index.ts'

const folder = mkdtempSync(join(tmpdir(), 'palimpsest-compare-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const CANDIDATES = [{ name: 'tokens', policy: tokens(), settings: {} }]

async function transcript(name: string, messages: readonly MessageInput[]): Promise<Transcript> {
  const path = join(folder, name)
  writeFileSync(path, messages.map(message => `${JSON.stringify(message)}\n`).join(''))
  return (await openTranscripts(path))[0]!
}

const answered = () =>
  transcript(
    'answered.jsonl',
    Array.from({ length: 20 }, (_, index) => ({
      role: index % 2 === 0 ? ('user' as const) : ('assistant' as const),
      content: `What is said as number ${index}.`,
    })),
  )
const unanswered = () =>
  transcript(
    'unanswered.jsonl',
    Array.from({ length: 30 }, (_, index) => ({
      role: 'user' as const,
      sender: { id: `user-${index % 3}` },
      content: `What is said as number ${index}.`,
    })),
  )

test('where nobody replies, a model is asked after every 12 messages: beside other conversations, too', async () => {
  const requests = async (...transcripts: Transcript[]) =>
    (await compare(transcripts, { candidates: CANDIDATES })).runs.map(({ cost }) => cost.calls.reply.calls)
  expect(await requests(await answered())).toEqual([10, 10, 10])
  expect(await requests(await unanswered())).toEqual([2, 2, 2])
  expect(await requests(await answered(), await unanswered())).toEqual([12, 12, 12])
})

test('what is sent costs the same with and without a memory, pictures included, as long as nothing is folded', async () => {
  const pictures = await transcript('pictures.jsonl', [
    { role: 'user', content: [{ type: 'image', url: 'https://example.com/a.png' }] },
    { role: 'assistant', content: 'A lemon.' },
    {
      role: 'user',
      content: [
        { type: 'image', path: 'photos/b.jpg' },
        { type: 'text', text: 'And this?' },
      ],
    },
    { role: 'assistant', content: 'I cannot see it.' },
  ])
  const { runs } = await compare([pictures], { candidates: CANDIDATES })
  expect(runs[0]!.cost).toEqual(runs[1]!.cost)
  expect(runs[0]!.tokens.peakContext).toBeGreaterThan(2_000)
  expect(runs[0]!.tokens.peakContext).toBeLessThan(2_400)
})

test('tells how far it is, and ends when it is told to', async () => {
  const seen: [string, number][] = []
  await compare([await answered()], {
    candidates: CANDIDATES,
    onProgress: (run, share) => seen.push([run, share]),
  })
  expect(new Set(seen.map(([run]) => run))).toEqual(
    new Set(['measuring', 'tokens', 'no memory', 'last 40 messages']),
  )
  for (const [, share] of seen) expect(share).toBeLessThanOrEqual(1)
  const stop = compare([await answered()], {
    candidates: CANDIDATES,
    onProgress: run => {
      if (run === 'tokens') throw new Error('enough')
    },
  })
  await expect(stop).rejects.toThrow('enough')
})
