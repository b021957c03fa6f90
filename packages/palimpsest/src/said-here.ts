import type { AsyncLocalStorage } from 'node:async_hooks'

/** Of a session, what a user said last through its handles in one run of asynchronous code, such as a request. */
interface SaidHere {
  readonly handle: object
  readonly session: SessionHere
  seq: number | null
}

interface SessionHere {
  readonly engine: object
  readonly name: string
}

/** To be told what a user said, once it is stored. */
export type NoteSaid = (seq: number) => void

/** A run may write in several sessions, and a loop goes on for ever. */
const MAX_HANDLES = 16

interface Run {
  /** The one that was used last is first. */
  said: readonly SaidHere[]
  /** What is said in this one counts as said there too. */
  readonly within: Run | null
}

let runs: AsyncLocalStorage<Run> | null = null

/** When it is first needed: an import would be paid for by every start. */
function runsHere(): AsyncLocalStorage<Run> {
  runs ??= new (process.getBuiltinModule('node:async_hooks').AsyncLocalStorage)<Run>()
  return runs
}

/**
 * To be called before anything is awaited: what its caller awaits belongs to the same run, and what other runs do
 * meanwhile does not. A run that was begun here knows what was said here until it says something itself; of what it says
 * this one knows nothing, since runs that stand side by side begin in the same way.
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

/** For what awaits something before it says anything: its caller's run knows of it. To be called as `beginSaying` is. */
export function sayingWithin<Result>(say: () => Promise<Result>): Promise<Result> {
  const said = runsHere().getStore()?.said ?? []
  const own: Run = { said, within: null }
  runsHere().enterWith(own)
  return runsHere().run({ said, within: own }, say)
}

function withNewest(known: readonly SaidHere[], said: SaidHere): readonly SaidHere[] {
  return [said, ...known.filter(({ handle }) => handle !== said.handle)].slice(0, MAX_HANDLES)
}

/** `null`: nothing, or it was said elsewhere. */
export function saidHere(handle: object): number | null {
  return (
    runsHere()
      .getStore()
      ?.said.find(said => said.handle === handle)?.seq ?? null
  )
}

/** The same through any handle of a session. */
export function saidHereIn({ engine, name }: SessionHere): number | null {
  const isOfIt = ({ session, seq }: SaidHere) =>
    session.engine === engine && session.name === name && seq !== null
  return runsHere().getStore()?.said.find(isOfIt)?.seq ?? null
}
