import { AsyncLocalStorage } from 'node:async_hooks'
import { InvalidArgumentError } from '../errors.ts'
import type { SessionKey, Store } from '../store/index.ts'

/** The session whose handler is called. */
export interface Caller {
  readonly store: Store
  readonly key: SessionKey
}

interface Call extends Caller {
  readonly kind: 'policy' | 'resize'
  /** The handler that called this one. */
  readonly outer: Call | undefined
  /** The handler has answered, or its caller waits no longer. */
  isOver: boolean
}

const calls = new AsyncLocalStorage<Call>()

/**
 * Runs `work` inside a handler. Everything that `work` calls, at once or later, knows that until `work` is
 * over.
 */
export async function insideHandler<Result>(
  kind: Call['kind'],
  { store, key }: Caller,
  work: () => Promise<Result>,
): Promise<Result> {
  const call: Call = { kind, store, key, outer: calls.getStore(), isOver: false }
  try {
    return await calls.run(call, work)
  } finally {
    call.isOver = true
  }
}

/** A policy handler that judges would be asked again by that, without end. */
export function checkMayJudge(caller: Caller): void {
  if (callsAround(caller).some(({ kind }) => kind === 'policy'))
    throw inside('judgeResize', 'a policy handler')
}

/** Resizes of a session run one after the other. A handler that waits for a resize would wait for itself. */
export function checkMayResize(caller: Caller): void {
  if (callsAround(caller).length > 0) throw inside('resize', 'a handler')
}

function callsAround({ store, key }: Caller): readonly Call[] {
  const around: Call[] = []
  for (let call = calls.getStore(); call; call = call.outer)
    if (!call.isOver && call.store === store && call.key.id === key.id) around.push(call)
  return around
}

function inside(method: string, handler: string): InvalidArgumentError {
  return new InvalidArgumentError(
    method,
    `inside ${handler}`,
    `a call of ${method} outside the handlers of its session, or once they have answered`,
  )
}
