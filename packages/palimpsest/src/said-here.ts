import type { AsyncLocalStorage } from 'node:async_hooks'

/**
 * The last message that a user sent through a handle of a session in one run of asynchronous code, such as a
 * request.
 */
interface SaidHere {
  readonly handle: object
  readonly session: SessionHere
  seq: number | null
}

interface SessionHere {
  readonly engine: object
  readonly name: string
}

/** Called with the `seq` of a user's message, once it is stored. */
export type NoteSaid = (seq: number) => void

/** Bounds the memory of a run. A run may write in several sessions, and a loop may never end. */
const MAX_HANDLES = 16

interface Run {
  /** The handle that was used last comes first. */
  said: readonly SaidHere[]
  /** What is said in this run also counts as said in the run `within`. */
  readonly within: Run | null
}

let runs: AsyncLocalStorage<Run> | null = null

/** Loaded when it is first needed: an import would cost every start. */
function runsHere(): AsyncLocalStorage<Run> {
  runs ??= new (process.getBuiltinModule('node:async_hooks').AsyncLocalStorage)<Run>()
  return runs
}

/**
 * The caller must call this before it awaits anything. What the caller awaits belongs to the same run; what
 * other runs do meanwhile does not. A run that begins here knows what was said here, until it says something
 * itself. This run does not learn what that one says, because runs that stand side by side begin in the same
 * way.
 */
export function beginSaying(handle: object, session: SessionHere): NoteSaid {
  const { said: known = [], within = null } = runsHere().getStore() ?? {}
  const outer = known.find(said => said.handle === handle)
  const said: SaidHere = { handle, session, seq: outer?.seq ?? null }
  runsHere().enterWith({ said: withNewest(known, said), within })
  return seq => {
    said.seq = seq
    if (within !== null) within.said = withNewest(within.said, said)
  }
}

/**
 * For code that awaits something before it says anything. The caller's run learns of what is said. It must be
 * called as early as `beginSaying`.
 */
export function sayingWithin<Result>(say: () => Promise<Result>): Promise<Result> {
  const said = runsHere().getStore()?.said ?? []
  const own: Run = { said, within: null }
  runsHere().enterWith(own)
  return runsHere().run({ said, within: own }, say)
}

function withNewest(known: readonly SaidHere[], said: SaidHere): readonly SaidHere[] {
  return [said, ...known.filter(({ handle }) => handle !== said.handle)].slice(0, MAX_HANDLES)
}

/** `null`: nothing was said, or it was said in another run. */
export function saidHere(handle: object): number | null {
  return (
    runsHere()
      .getStore()
      ?.said.find(said => said.handle === handle)?.seq ?? null
  )
}

/** The same, through any handle of a session. */
export function saidHereIn({ engine, name }: SessionHere): number | null {
  const isOfIt = ({ session, seq }: SaidHere) =>
    session.engine === engine && session.name === name && seq !== null
  return runsHere().getStore()?.said.find(isOfIt)?.seq ?? null
}
