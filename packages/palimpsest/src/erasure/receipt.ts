import {
  ERASURE_PLACES,
  ERASURE_STAGES,
  type ErasurePlace,
  type ErasureRecord,
  type ErasureStage,
  type ErasureTarget,
  type ScrubState,
} from '../store/index.ts'

/** The state of an erasure, place by place. */
export interface ErasureReceipt {
  readonly id: number
  /** `null`: the erasure is complete, so its target is no longer stored. */
  readonly target: ErasureTarget | null
  readonly requestedAt: Date
  readonly done: boolean
  readonly places: readonly PlaceReceipt[]
}

interface PlaceReceipt {
  readonly place: ErasurePlace
  /** The number of items that were erased or rebuilt there. */
  readonly count: number
  readonly state: 'done' | 'pending'
  /** What the place waits for, if an operator has to act. */
  readonly note?: string
  /** The statement that the operator runs in the database. After that, the receipt becomes done by itself. */
  readonly statement?: string
}

/** What this process knows about the files of a workspace. */
export interface FilesState {
  /** Whether there are files, here or on another machine. */
  readonly isMirrored: boolean
  /** Whether this process can change the files. */
  readonly hasWorkspace: boolean
}

/**
 * Whether a list of erasures is kept, and whether it has this erasure. A restore of an older backup uses the
 * list to erase again.
 */
export interface ListState {
  readonly isKept: boolean
  readonly isListed: boolean
  /** Why the erasure is not in the list yet. */
  readonly note?: string
}

interface ErasureStates {
  readonly files: FilesState
  readonly scrub: ScrubState
  readonly list: ListState
}

/** The places where a target of this kind has no data. */
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
  // The database was just checked. The record follows when a process next works on it.
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
  // Nothing is erased in a backup. The record counts a line in the list.
  if (place === 'backups') return 0
  return counts[place] ?? (place === 'database' && stage === 'done' ? 1 : 0)
}

function isDone(place: ErasurePlace, stage: ErasureStage, { isListed }: ListState): boolean {
  return isPast(stage, lastStage(place)) || (place === 'backups' && isListed)
}

/**
 * Whether all the rest waits for an operator. Until the list of erasures can be written, the erasure cannot
 * be completed.
 */
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

/** The last stage that changes a place. */
function lastStage(place: ErasurePlace): ErasureStage {
  if (place === 'segments') return 'rebuilding'
  if (place === 'files' || place === 'backups') return 'files'
  return place === 'database' ? 'scrubbing' : 'erasing'
}

function isPast(stage: ErasureStage, other: ErasureStage): boolean {
  return ERASURE_STAGES.indexOf(stage) > ERASURE_STAGES.indexOf(other)
}
