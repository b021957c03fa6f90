import { expect, test } from 'vitest'
import { ERASURE_PLACES, ERASURE_STAGES, type ErasureRecord, type ErasureTarget } from '../store/index.ts'
import { toReceipt } from './receipt.ts'

const FILES = { isMirrored: true, hasWorkspace: true }

function record(changes: Partial<ErasureRecord> = {}): ErasureRecord {
  const target: ErasureTarget = { kind: 'person', id: 'ann' }
  return { id: 3, target, requestedAt: new Date(0), stage: 'erasing', counts: { messages: 7 }, ...changes }
}

function pending(changes: Partial<ErasureRecord>, files = FILES): readonly string[] {
  return toReceipt(record(changes), files)
    .places.filter(({ state }) => state === 'pending')
    .map(({ place }) => place)
}

test('says of each place when it is done', () => {
  expect(pending({ stage: 'erasing', target: { kind: 'namespace' } })).toEqual(ERASURE_PLACES)
  expect(pending({ stage: 'rebuilding' })).toEqual(['segments', 'files', 'database'])
  expect(pending({ stage: 'files' })).toEqual(['files', 'database'])
  expect(pending({ stage: 'scrubbing' })).toEqual(['database'])
  expect(pending({ stage: 'done' })).toEqual([])
  expect(ERASURE_STAGES.map(stage => toReceipt(record({ stage }), FILES).done)).toEqual(
    ERASURE_STAGES.map(stage => stage === 'done'),
  )
})

test('names the places that a target has something in, and how many there were', () => {
  const places = (target: ErasureTarget | null) =>
    toReceipt(record({ target }), FILES).places.map(({ place }) => place)
  expect(places({ kind: 'namespace' })).toEqual(ERASURE_PLACES)
  const messages = places({ kind: 'messages', sessionId: 'a', seqs: [1] })
  expect(messages).toContain('segments')
  expect(messages).not.toContain('sessions')
  expect(places(null)).toEqual(['messages', 'files', 'database'])
  expect(toReceipt(record(), FILES).places).toContainEqual({ place: 'messages', count: 7, state: 'pending' })
})

test('has files only where there are any, and says who has to come for them', () => {
  const files = (state: typeof FILES, stage: ErasureRecord['stage'] = 'files') =>
    toReceipt(record({ stage }), state).places.find(({ place }) => place === 'files')
  expect(files({ isMirrored: false, hasWorkspace: false })).toBeUndefined()
  expect(files(FILES)).toEqual({ place: 'files', count: 0, state: 'pending' })
  const elsewhere = { isMirrored: true, hasWorkspace: false }
  expect(files(elsewhere)).toMatchObject({ state: 'pending', note: expect.stringContaining('workspace') })
  expect(files(elsewhere, 'scrubbing')).toEqual({ place: 'files', count: 0, state: 'done' })
})
