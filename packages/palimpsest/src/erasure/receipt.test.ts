import { expect, test } from 'vitest'
import {
  ERASURE_PLACES,
  ERASURE_STAGES,
  type ErasureRecord,
  type ErasureTarget,
  type ScrubState,
} from '../store/index.ts'
import { type ListState, toReceipt, waitsForOperator } from './receipt.ts'

const NOT_YET = { isGone: false }
const FILES = { isMirrored: true, hasWorkspace: true }
const NO_LIST: ListState = { isKept: false, isListed: false }
const LISTED: ListState = { isKept: true, isListed: true }
const UNLISTED: ListState = { isKept: true, isListed: false }

function receipt(
  changes: Partial<ErasureRecord> = {},
  { files = FILES, scrub = NOT_YET as ScrubState, list = NO_LIST } = {},
) {
  return toReceipt(record(changes), { files, scrub, list })
}

function record(changes: Partial<ErasureRecord> = {}): ErasureRecord {
  const target: ErasureTarget = { kind: 'person', id: 'ann' }
  return {
    id: 3,
    target,
    requestedAt: new Date(0),
    stage: 'erasing',
    counts: { messages: 7 },
    listId: 'a',
    ...changes,
  }
}

function pending(changes: Partial<ErasureRecord>, list = NO_LIST): readonly string[] {
  return receipt(changes, { list })
    .places.filter(({ state }) => state === 'pending')
    .map(({ place }) => place)
}

test('says of each place when it is done', () => {
  expect(pending({ stage: 'erasing', target: { kind: 'namespace' } }, UNLISTED)).toEqual(ERASURE_PLACES)
  expect(pending({ stage: 'rebuilding' })).toEqual(['segments', 'files', 'database'])
  expect(pending({ stage: 'files' })).toEqual(['files', 'database'])
  expect(pending({ stage: 'scrubbing' })).toEqual(['database'])
  expect(pending({ stage: 'done' })).toEqual([])
  expect(ERASURE_STAGES.map(stage => receipt({ stage }).done)).toEqual(
    ERASURE_STAGES.map(stage => stage === 'done'),
  )
})

test('names the places that a target has something in, and how many there were', () => {
  const places = (target: ErasureTarget | null) =>
    receipt({ target }, { list: LISTED }).places.map(({ place }) => place)
  expect(places({ kind: 'namespace' })).toEqual(ERASURE_PLACES)
  const messages = places({ kind: 'messages', sessionId: 'a', seqs: [1] })
  expect(messages).toContain('segments')
  expect(messages).not.toContain('sessions')
  expect(places(null)).toEqual(['messages', 'files', 'backups', 'database'])
  expect(receipt().places).toContainEqual({
    place: 'messages',
    count: 7,
    state: 'pending',
  })
})

test('has files only where there are any, and says who has to come for them', () => {
  const files = (state: typeof FILES, stage: ErasureRecord['stage'] = 'files') =>
    receipt({ stage }, { files: state }).places.find(({ place }) => place === 'files')
  expect(files({ isMirrored: false, hasWorkspace: false })).toBeUndefined()
  expect(files(FILES)).toEqual({ place: 'files', count: 0, state: 'pending' })
  const elsewhere = { isMirrored: true, hasWorkspace: false }
  expect(files(elsewhere)).toMatchObject({ state: 'pending', note: expect.stringContaining('workspace') })
  expect(files(elsewhere, 'scrubbing')).toEqual({ place: 'files', count: 0, state: 'done' })
})

test('says what the database was seen to hold, and what an operator has to run', () => {
  const bytes = (scrub: ScrubState, stage: ErasureRecord['stage'] = 'scrubbing') => {
    const { done, places } = receipt({ stage }, { scrub })
    return { done, ...places.find(({ place }) => place === 'database') }
  }
  const waitsFor = { note: 'the role may not', statement: 'VACUUM;' }
  expect(bytes({ isGone: false, waitsFor })).toMatchObject({ done: false, state: 'pending', ...waitsFor })
  expect(bytes({ isGone: true })).toEqual({ done: true, place: 'database', count: 1, state: 'done' })
  // There may be more to delete.
  expect(bytes({ isGone: true }, 'files')).toMatchObject({ done: false, state: 'pending' })
  const waits = (scrub: ScrubState, stage: ErasureRecord['stage']) =>
    waitsForOperator(receipt({ stage }, { scrub }))
  expect(waits({ isGone: false, waitsFor }, 'scrubbing')).toBe(true)
  expect(waits({ isGone: false, waitsFor }, 'files')).toBe(false)
  expect(waits({ isGone: false }, 'scrubbing')).toBe(false)
})

test('says whether the list of what was erased has it, while its record says whom it is about', () => {
  const backups = (list: ListState, changes: Partial<ErasureRecord> = { stage: 'rebuilding' }) =>
    receipt(changes, { list }).places.find(({ place }) => place === 'backups')
  expect(backups(NO_LIST)).toBeUndefined()
  expect(backups(LISTED)).toEqual({ place: 'backups', count: 0, state: 'done' })
  expect(backups(UNLISTED)).toEqual({ place: 'backups', count: 0, state: 'pending' })
  const note = 'the disk is full'
  expect(backups({ ...UNLISTED, note })).toEqual({ place: 'backups', count: 0, state: 'pending', note })
  expect(backups({ ...LISTED, note })).not.toHaveProperty('note')
  // Erased before a list was kept, or by a process that keeps none.
  expect(backups(UNLISTED, { stage: 'done', target: null })).toBeUndefined()
  const counts = { backups: 1 }
  expect(backups(NO_LIST, { stage: 'done', counts })).toEqual({ place: 'backups', count: 0, state: 'done' })
  expect(waitsForOperator(receipt({ stage: 'files' }, { list: { ...UNLISTED, note } }))).toBe(true)
})
