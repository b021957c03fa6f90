/**
 * The arrays for one ranking, longer than a conversation has messages. They are kept for the next ranking,
 * because making them takes longer than ranking.
 */
export interface Workspace {
  readonly capacity: number
  readonly seqs: Int32Array
  readonly places: Int32Array
  readonly stretches: Int32Array
  readonly asks: Uint8Array
  readonly scores: Float64Array
  /** All 0 whenever no ranking works in it. */
  readonly amounts: Float64Array
}

/** Larger workspaces, for longer sessions, are not kept. */
const LARGEST_KEPT = 262_144
const SMALLEST = 1_024

let kept: Workspace | null = null

/** Runs a piece of work in a workspace of its own. Nested calls get another one. */
export function withWorkspace<Result>(size: number, work: (workspace: Workspace) => Result): Result {
  const workspace = kept !== null && kept.capacity >= size ? kept : createWorkspace(size)
  kept = null
  const result = work(workspace)
  if (workspace.capacity <= LARGEST_KEPT) kept = workspace
  return result
}

function createWorkspace(size: number): Workspace {
  const capacity = Math.max(SMALLEST, 2 ** Math.ceil(Math.log2(size + 1)))
  return {
    capacity,
    seqs: new Int32Array(capacity),
    places: new Int32Array(capacity),
    stretches: new Int32Array(capacity),
    asks: new Uint8Array(capacity),
    scores: new Float64Array(capacity),
    amounts: new Float64Array(capacity),
  }
}
