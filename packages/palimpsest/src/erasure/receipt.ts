import {
  ERASURE_PLACES,
  ERASURE_STAGES,
  type ErasurePlace,
  type ErasureRecord,
  type ErasureStage,
  type ErasureTarget,
  type ScrubState,
} from '../store/index.ts'

/** What became of an erasure, place by place. */
export interface ErasureReceipt {
  readonly id: number
  /** `null`: it is all over, and nobody knows any more whom it was about. */
  readonly target: ErasureTarget | null
  readonly requestedAt: Date
  readonly done: boolean
  readonly places: readonly PlaceReceipt[]
}

interface PlaceReceipt {
  readonly place: ErasurePlace
  /** How many were erased there or made anew. */
  readonly count: number
  readonly state: 'done' | 'pending'
  /** What it waits for, where an operator has to do something about it. */
  readonly note?: string
  /** What the operator runs in the database then; the receipt is done by itself afterwards. */
  readonly statement?: string
}

/** Where a workspace's files are concerned, as far as this process knows. */
export interface FilesState {
  /** There are files, here or on another machine. */
  readonly isMirrored: boolean
  /** This process can follow them. */
  readonly hasWorkspace: boolean
}

/** Where a list of what was erased is kept: by it a restore of an older backup erases it again. */
export interface ListState {
  readonly isKept: boolean
  readonly isListed: boolean
  /** Why it is not there yet. */
  readonly note?: string
}

interface ErasureStates {
  readonly files: FilesState
  readonly scrub: ScrubState
  readonly list: ListState
}

/** Places that a target of this kind has nothing in. */
const UNCONCERNED: Readonly<Record<ErasureTarget['kind'], readonly ErasurePlace[]>> = {
  messages: ['sessions', 'senders', 'settings'],
  session: ['settings'],
  person: ['settings'],
  namespace: [],
}

const WAITS_FOR_WORKSPACE =
  'memory is mirrored as files, and no process with that folder is running: start one with the workspace'

export function toReceipt(record: ErasureRecord, { files, scrub, list }: ErasureStates): ErasureReceipt {
  const { isGone, waitsFor } = scrub
  const { id, target, requestedAt } = record
  // The database was looked at: the record follows when a process next works at it.
  const stage = isGone && record.stage === 'scrubbing' ? 'done' : record.stage
  return {
    id,
    target,
    requestedAt,
    done: stage === 'done',
    places: ERASURE_PLACES.filter(place => concerns(record, place, { files, list })).map(place => ({
      place,
      count: countOf(record, place, stage),
      state: isDone(place, stage, list) ? 'done' : 'pending',
      ...(place === 'files' &&
        !isPast(stage, 'files') &&
        !files.hasWorkspace && { note: WAITS_FOR_WORKSPACE }),
      ...(place === 'backups' &&
        !isPast(stage, 'files') &&
        !list.isListed &&
        list.note && { note: list.note }),
      ...(place === 'database' && stage === 'scrubbing' && waitsFor),
    })),
  }
}

function countOf({ counts }: ErasureRecord, place: ErasurePlace, stage: ErasureStage): number {
  // Nothing is erased there; the record counts a line in the list.
  if (place === 'backups') return 0
  return counts[place] ?? (place === 'database' && stage === 'done' ? 1 : 0)
}

function isDone(place: ErasurePlace, stage: ErasureStage, { isListed }: ListState): boolean {
  return isPast(stage, lastStage(place)) || (place === 'backups' && isListed)
}

/** Nothing else is left to be done, or nothing can be before an operator has seen to the list of what was erased. */
export function waitsForOperator({ places }: ErasureReceipt): boolean {
  if (places.some(({ place, note }) => place === 'backups' && note !== undefined)) return true
  return places.every(({ state, statement }) => state === 'done' || statement !== undefined)
}

function concerns(
  { target, counts, stage }: ErasureRecord,
  place: ErasurePlace,
  { files, list }: { readonly files: FilesState; readonly list: ListState },
): boolean {
  if (counts[place] !== undefined || place === 'database') return true
  if (place === 'backups') return list.isKept && !isPast(stage, 'files')
  if (place === 'files') return files.isMirrored || files.hasWorkspace
  return target !== null && !UNCONCERNED[target.kind].includes(place)
}

/** When a place is done. */
function lastStage(place: ErasurePlace): ErasureStage {
  if (place === 'segments') return 'rebuilding'
  if (place === 'files' || place === 'backups') return 'files'
  return place === 'database' ? 'scrubbing' : 'erasing'
}

function isPast(stage: ErasureStage, other: ErasureStage): boolean {
  return ERASURE_STAGES.indexOf(stage) > ERASURE_STAGES.indexOf(other)
}
