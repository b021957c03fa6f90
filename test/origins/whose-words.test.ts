import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import type { SourceMessage } from '../../packages/palimpsest/src/summarizer/index.ts'
import { splitPasted } from '../../packages/palimpsest/src/summarizer/pasted.ts'
import { isForeign, toldApart } from '../../packages/palimpsest/src/summarizer/told-apart.ts'

/**
 * Messages of our own in which somebody only passes on what others said, and as many in which it looks so and is their
 * own. Precision first: what is taken for the sender's own has to be.
 */

const OPEN = '⟦'
const CLOSE = '⟧'
const messages = readFileSync(new URL('whose-words.txt', import.meta.url), 'utf8')
  .split('\n')
  .filter(line => line !== '' && !line.startsWith('# '))
  .map(line => line.replaceAll('\\n', '\n'))

/** Words that carry meaning, so that marks and breaks count for nothing. */
const wordsOf = (text: string) => text.match(/[\p{sc=Han}]|[[\p{L}\p{N}]--\p{sc=Han}]+/gv) ?? []

function expected(line: string): { text: string; foreign: readonly string[]; own: readonly string[] } {
  const inside = [...line.matchAll(/⟦([^⟧]*)⟧/g)].map(([, words]) => words!)
  return {
    text: line.replaceAll(OPEN, '').replaceAll(CLOSE, ''),
    foreign: inside.flatMap(wordsOf),
    own: wordsOf(line.replace(/⟦[^⟧]*⟧/g, ' ')),
  }
}

test('whose words they are is told by signs', () => {
  let [passedOn, found, traps, kept] = [0, 0, 0, 0]
  const wrong: string[] = []
  for (const line of messages) {
    const { text, foreign, own } = expected(line)
    const pieces = splitPasted(text, ['Ann'])
    const said = pieces.filter(({ isOwn }) => isOwn).flatMap(piece => wordsOf(piece.text))
    const others = pieces.filter(({ isOwn }) => !isOwn).flatMap(piece => wordsOf(piece.text))
    const isTrap = foreign.length === 0
    const isRight = isTrap ? others.length === 0 : others.join() === foreign.join()
    if (isTrap) traps += 1
    else passedOn += 1
    if (isRight && isTrap) kept += 1
    else if (isRight) found += 1
    else
      wrong.push(
        `${isTrap ? 'own' : 'passed on'}: ${JSON.stringify(text)} → ${JSON.stringify(others.join(' '))}`,
      )
    // Nothing is lost, whoever said it.
    expect([...said, ...others].sort(), text).toEqual([...own, ...foreign].sort())
  }
  process.stdout.write(
    `passed on: ${found}/${passedOn} told as such; their own: ${kept}/${traps} left to them\n${wrong.join('\n')}\n`,
  )
  expect(messages.length).toBeGreaterThanOrEqual(100)
  expect(found / passedOn).toBeGreaterThanOrEqual(0.97)
  expect(kept / traps).toBeGreaterThanOrEqual(0.97)
})

test('a message that is all its own stays the object that it is', () => {
  const message: SourceMessage = {
    ...{ seq: 1, role: 'user', sender: { id: '1', name: 'Ann' }, zone: null, at: new Date(0) },
    content: 'I live in Berlin: it is nice',
  }
  expect(toldApart([message])[0]).toBe(message)
  expect(toldApart([{ ...message, content: 'ok. he said: I live in Berlin' }]).map(isForeign)).toEqual([
    false,
    true,
  ])
})

test('a text of any size is looked through in time that grows with its length', () => {
  for (const piece of [
    'he said: I live ',
    'Ann: I\n',
    '> a\n',
    'Dear Tom,\n',
    '「a：b\n',
    'a 10:23\n',
    'I said ',
  ]) {
    const from = performance.now()
    splitPasted(piece.repeat(Math.ceil(400_000 / piece.length)))
    expect(performance.now() - from, piece).toBeLessThan(3_000)
  }
})
