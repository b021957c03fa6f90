import fc from 'fast-check'
import { expect, test } from 'vitest'
import { alignHistory, type KnownMessage } from './align-history.ts'
import type { Role } from './message.ts'

const ROLE_OF: Record<string, Role> = { a: 'assistant', t: 'tool' }

/** `u1`: said by the user, `a1` by the assistant, `c1`: a call of it, `t1`: its result, `l…`: came in a list, `o…`: another way. */
function say(text: string): KnownMessage[] {
  if (text === '') return []
  return text.split(' ').map((word): KnownMessage => {
    const from = word.startsWith('l') ? 'list' : word.startsWith('o') ? 'elsewhere' : null
    const said = from ? word.slice(1) : word
    const toolCallId = said.slice(1)
    if (said.startsWith('c'))
      return { role: 'assistant', content: [{ type: 'tool-call', toolCallId, toolName: 'look' }] }
    if (said.startsWith('t')) return { role: 'tool', content: [{ type: 'tool-result', toolCallId }] }
    const content = said.endsWith('~')
      ? [{ type: 'text' as const, text: said, interrupted: 'failed' as const }]
      : said
    return { role: ROLE_OF[said[0]!] ?? 'user', content, ...(from && { from }) }
  })
}

test.each([
  ['nothing is known yet', '', 'u1', 0, 0],
  ['nothing is known yet, and they send a history', '', 'u1 a1 u2', 0, 0],
  ['they send what is new only', 'u1 a1', 'u2', 0, 0],
  ['they send everything', 'u1 a1', 'u1 a1 u2', 2, 0],
  ['they send the end of it', 'u1 a1 u2 a2', 'a1 u2 a2 u3', 3, 0],
  ['they send nothing new', 'u1 a1 u2', 'u1 a1 u2', 3, 0],
  ['the same call again', 'u1 a1 u2', 'u2', 1, 0],
  ['the same call again, after somebody else spoke', 'u1 a1 u2 ou9', 'u2', 1, 0],
  ['the same words again after a reply', 'u1 a1', 'u1', 0, 0],
  ['the same words again after a reply, and they send a history', 'u1 a1', 'u1 a1 u1', 2, 0],
  ['a question without an answer, and the next one', 'u1', 'u1 u2', 1, 0],
  ['the same after a reply', 'u1 a1 u2', 'u2 u3', 1, 0],
  ['the same after a reply that broke off', 'u1 a1~', 'u1', 1, 1],
  ['they ask for the reply again', 'u1 a1 u2 a2', 'u1 a1 u2', 3, 1],
  ['they ask again for one that says what an earlier one did', 'u1 a1 u2 a1', 'u1 a1 u2', 3, 1],
  ['they ask again for one that called tools', 'u1 a1 u2 c2 t2 a2', 'u1 a1 u2', 3, 3],
  ['they ask again, but somebody else spoke since', 'u1 a1 u2 a2 ou9', 'u1 a1 u2', 3, 0],
  ['they go on without the reply', 'u1 a1 u2 a2', 'u1 a1 u2 u3', 3, 1],
  ['they have the reply in other words', 'u1 a1 u2 a2', 'u1 a1 u2 a7 u3', 3, 1],
  ['they leave out what tools did', 'u1 a1 u2 c2 t2 a2', 'u1 a1 u2 a2 u3', 4, 0],
  ['they edited a message', 'u1 a1 u2 a2', 'u1 a1 u9', 2, 2],
  ['they edited an early message', 'u1 a1 u2 a2 u3 a3', 'u1 a1 u9', 2, 4],
  ['they edited a message into a later one', 'u1 a1 u2 a2 u3 a3 u4 a4', 'u1 a1 u3', 2, 6],
  ['they edited, but somebody else spoke before', 'u1 ou9 a1 u2 a2', 'u1 a1 u3', 2, 2],
  ['they edited, but somebody else spoke since', 'u1 a1 u2 ou9 a2', 'u1 a1 u3', 2, 0],
  ['somebody else spoke and was answered', 'u1 a1 ou2 a2', 'u1 a1 u3', 2, 0],
  ['somebody else spoke and has no answer yet', 'u1 a1 u9', 'u1 a1 u2', 2, 0],
  ['another call is still at its tools', 'u1 a1 u9 c9', 'u1 a1 u2', 2, 0],
  ['another call still waits for the model', 'u1 a1 u9 c9 t9', 'u1 a1 u2', 2, 0],
  ['somebody else spoke during a call', 'u1 c1 ou9', 'u1 c1 t1', 2, 0],
  ['and the loop goes on', 'u1 c1 ou9 t1 c2', 'u1 c1 t1 c2 t2', 4, 0],
  ['they send the first and the last', 'u1 a1 u2 a2 u3 a3 u4 a4', 'u1 a1 u2 a2 a4 u5', 5, 0],
  ['one that was said before, at the end of a gap', 'u1 a1 u2 a2 u3 a3 u4 a4', 'u1 a1 a4 u2', 3, 0],
  ['examples and what is new', 'lu1 la1 u2 a2', 'u1 a1 u3', 2, 0],
  ['examples and the end', 'lu1 la1 lu2 la2 u3 a3 u4 a4', 'u1 a1 u2 a2 u4 a4 u5', 6, 0],
  ['a question that was said twice, unanswered', 'u1 a1 u2', 'u1 a1 u2 u3 u2', 3, 0],
  ['they know nothing of ours', 'u1 a1', 'u7 a7 u8', 2, 0],
])('%s', (_, ours, theirs, newFrom, contradicted) => {
  expect(alignHistory(say(ours), say(theirs), { isBeginning: true })).toEqual({ newFrom, contradicted })
})

test('where the log begins is needed to know an edit', () => {
  expect(alignHistory(say('u1 a1 u2 a2'), say('u1 a1 u9'))).toEqual({ newFrom: 2, contradicted: 0 })
})

test('white space and the order of parallel results are no difference', () => {
  const result = (id: string) => ({ type: 'tool-result' as const, toolCallId: id, output: '1' })
  const ours = [
    { role: 'assistant' as const, content: 'One  moment.\n' },
    { role: 'tool' as const, content: [result('x'), result('y')] },
  ]
  const theirs = [
    { role: 'assistant' as const, content: [{ type: 'text' as const, text: 'One moment.' }] },
    { role: 'tool' as const, content: [result('y'), result('x')] },
  ]
  expect(alignHistory(ours, theirs)).toEqual({ newFrom: 2, contradicted: 0 })
})

const message = (place: number): KnownMessage => ({
  role: place % 2 === 0 ? 'user' : 'assistant',
  content: `message ${place}`,
})

test('a history of different messages, sent whole or from anywhere on, adds exactly what is new', () => {
  fc.assert(
    fc.property(fc.nat(12), fc.nat(12), fc.integer({ min: 1, max: 4 }), (known, from, added) => {
      const all = Array.from({ length: known + added }, (_, place) => message(place))
      const start = Math.min(from, Math.max(0, known - 1))
      const theirs = all.slice(start)
      const { newFrom, contradicted } = alignHistory(all.slice(0, known), theirs)
      if (!theirs.some(({ role }) => role === 'assistant')) return
      expect(theirs.slice(newFrom)).toEqual(all.slice(known))
      expect(contradicted).toBe(0)
    }),
  )
})

/** Few words, so that much is said again. */
const anyMessage = fc
  .tuple(
    fc.constantFrom<Role>('user', 'assistant', 'tool'),
    fc.constantFrom('yes', 'no', 'what?'),
    fc.constantFrom('list', 'elsewhere', undefined),
  )
  .map(([role, content, from]): KnownMessage => ({ role, content, ...(from && { from }) }))

test('whatever is sent, only our replies are contradicted, or what an edit replaces: never what others said', () => {
  fc.assert(
    fc.property(
      fc.array(anyMessage, { maxLength: 12 }),
      fc.array(anyMessage, { maxLength: 12 }),
      fc.boolean(),
      (ours, theirs, isBeginning) => {
        const { newFrom, contradicted } = alignHistory(ours, theirs, { isBeginning })
        expect(newFrom).toBeGreaterThanOrEqual(0)
        expect(newFrom).toBeLessThanOrEqual(theirs.length)
        expect(contradicted).toBeLessThanOrEqual(ours.length)
        const hidden = ours.slice(ours.length - contradicted)
        const people = hidden.filter(({ role }) => role === 'user')
        if (people.length === 0) return
        expect(isBeginning).toBe(true)
        expect(people.filter(({ from }) => from === 'elsewhere')).toEqual([])
        const kept = ours.slice(0, ours.length - contradicted).filter(({ from }) => from !== 'elsewhere')
        const words = ({ role, content }: KnownMessage) => [role, content]
        expect(theirs.slice(0, newFrom).map(words)).toEqual(kept.map(words))
      },
    ),
    { numRuns: 2_000 },
  )
})
