import { expect, test } from 'vitest'
import {
  ERASURE_PLACES,
  ERASURE_STAGES,
  type ErasureRecord,
  type ErasureTarget,
  type ScrubState,
} from '../store/index.ts'
import { toReceipt, waitsForOperator } from './receipt.ts'

const NOT_YET = { isGone: false }
const FILES = { isMirrored: true, hasWorkspace: true }

function record(changes: Partial<ErasureRecord> = {}): ErasureRecord {
  const target: ErasureTarget = { kind: 'person', id: 'ann' }
  return { id: 3, target, requestedAt: new Date(0), stage: 'erasing', counts: { messages: 7 }, ...changes }
}

function pending(changes: Partial<ErasureRecord>, files = FILES): readonly string[] {
  return toReceipt(record(changes), files, NOT_YET)
    .places.filter(({ state }) => state === 'pending')
    .map(({ place }) => place)
}

test('says of each place when it is done', () => {
  expect(pending({ stage: 'erasing', target: { kind: 'namespace' } })).toEqual(ERASURE_PLACES)
  expect(pending({ stage: 'rebuilding' })).toEqual(['segments', 'files', 'database'])
  expect(pending({ stage: 'files' })).toEqual(['files', 'database'])
  expect(pending({ stage: 'scrubbing' })).toEqual(['database'])
  expect(pending({ stage: 'done' })).toEqual([])
  expect(ERASURE_STAGES.map(stage => toReceipt(record({ stage }), FILES, NOT_YET).done)).toEqual(
    ERASURE_STAGES.map(stage => stage === 'done'),
  )
})

test('names the places that a target has something in, and how many there were', () => {
  const places = (target: ErasureTarget | null) =>
    toReceipt(record({ target }), FILES, NOT_YET).places.map(({ place }) => place)
  expect(places({ kind: 'namespace' })).toEqual(ERASURE_PLACES)
  const messages = places({ kind: 'messages', sessionId: 'a', seqs: [1] })
  expect(messages).toContain('segments')
  expect(messages).not.toContain('sessions')
  expect(places(null)).toEqual(['messages', 'files', 'database'])
  expect(toReceipt(record(), FILES, NOT_YET).places).toContainEqual({
    place: 'messages',
    count: 7,
    state: 'pending',
  })
})

test('has files only where there are any, and says who has to come for them', () => {
  const files = (state: typeof FILES, stage: ErasureRecord['stage'] = 'files') =>
    toReceipt(record({ stage }), state, NOT_YET).places.find(({ place }) => place === 'files')
  expect(files({ isMirrored: false, hasWorkspace: false })).toBeUndefined()
  expect(files(FILES)).toEqual({ place: 'files', count: 0, state: 'pending' })
  const elsewhere = { isMirrored: true, hasWorkspace: false }
  expect(files(elsewhere)).toMatchObject({ state: 'pending', note: expect.stringContaining('workspace') })
  expect(files(elsewhere, 'scrubbing')).toEqual({ place: 'files', count: 0, state: 'done' })
})

test('says what the database was seen to hold, and what an operator has to run', () => {
  const bytes = (scrub: ScrubState, stage: ErasureRecord['stage'] = 'scrubbing') => {
    const { done, places } = toReceipt(record({ stage }), FILES, scrub)
    return { done, ...places.find(({ place }) => place === 'database') }
  }
  const waitsFor = { note: 'the role may not', statement: 'VACUUM;' }
  expect(bytes({ isGone: false, waitsFor })).toMatchObject({ done: false, state: 'pending', ...waitsFor })
  expect(bytes({ isGone: true })).toEqual({ done: true, place: 'database', count: 1, state: 'done' })
  // There may be more to delete.
  expect(bytes({ isGone: true }, 'files')).toMatchObject({ done: false, state: 'pending' })
  const waits = (scrub: ScrubState, stage: ErasureRecord['stage']) =>
    waitsForOperator(toReceipt(record({ stage }), FILES, scrub))
  expect(waits({ isGone: false, waitsFor }, 'scrubbing')).toBe(true)
  expect(waits({ isGone: false, waitsFor }, 'files')).toBe(false)
  expect(waits({ isGone: false }, 'scrubbing')).toBe(false)
})
