import { InvalidArgumentError, InvalidMessageError } from '../errors.ts'
import { type Message, type MessageInput, normalizeWindowMessage, type WindowMessage } from '../log/index.ts'
import type { FullHistory } from './full-history.ts'
import type { ResolvedSettings } from './settings.ts'

/** What every handler is given. The handler may change the lists and the memo. */
type Given = [
  full: FullHistory,
  current: WindowMessage[],
  memo: Record<string, unknown>,
  settings: ResolvedSettings,
]

/** Returns `null`, the name of a type, or `{ type, reason?, severity?, meta? }`. */
export type PolicyHandler = (...given: Given) => unknown

/** Returns the histories and the memo as they should be from now on. */
export type ResizeHandler = (...given: Given) => ResizeResult | Promise<ResizeResult>

/** For each type of decision the handler that carries it out; `null` removes a handler. */
export type ResizeHandlers = Readonly<Record<string, ResizeHandler | null>>

type Returned = readonly (WindowMessage | Message | MessageInput)[]

/** A field that is left out stays as it was. The log stays whole, whatever `full` is. */
export type ResizeResult =
  | readonly [full: unknown, current: Returned, memo: object]
  | { readonly full?: unknown; readonly current?: Returned; readonly memo?: object }

const ALLOWED = '[full, current, memo], or an object with any of full, current, memo'
const FIELDS = ['full', 'current', 'memo']

/** Checks what a handler returned, which can be anything. `null`: the value stays as it was. */
export function readResult(
  type: string,
  returned: unknown,
): { current: readonly WindowMessage[] | null; memo: Readonly<Record<string, unknown>> | null } {
  const place = `resizeHandlers.${type}`
  const { current, memo } = fieldsOf(place, returned)
  return {
    current: current === undefined ? null : readWindow(`${place}: current`, current),
    memo: memo === undefined ? null : readMemo(`${place}: memo`, memo),
  }
}

function fieldsOf(place: string, returned: unknown): { current?: unknown; memo?: unknown } {
  if (Array.isArray(returned)) {
    const [, current, memo] = returned
    if (returned.length === FIELDS.length) return { current, memo }
    throw new InvalidArgumentError(place, `a list of ${returned.length}`, ALLOWED)
  }
  if (typeof returned !== 'object' || returned === null)
    throw new InvalidArgumentError(place, kindOf(returned), ALLOWED)
  const unknown = Object.keys(returned).find(field => !FIELDS.includes(field))
  if (unknown !== undefined) throw new InvalidArgumentError(place, unknown, ALLOWED)
  return returned
}

function readWindow(place: string, current: unknown): readonly WindowMessage[] {
  if (!Array.isArray(current)) throw new InvalidMessageError(place, kindOf(current), 'a list of messages')
  return Array.from(current, (message, index) => normalizeWindowMessage(message, `${place}[${index}]`))
}

function readMemo(place: string, memo: unknown): Readonly<Record<string, unknown>> {
  const plain = typeof memo === 'object' && memo !== null && !Array.isArray(memo) ? asJson(memo) : null
  if (plain === null) throw new InvalidArgumentError(place, kindOf(memo), 'an object that JSON can hold')
  return plain
}

/** For an error message: the kind and not the value, which may be long or private. */
function kindOf(value: unknown): string | null {
  if (value === null) return null
  return Array.isArray(value) ? 'a list' : typeof value
}

/** The value as it would come back from the store; `null`: JSON cannot hold it. */
function asJson(value: object): Readonly<Record<string, unknown>> | null {
  try {
    const plain: unknown = JSON.parse(JSON.stringify(value))
    return typeof plain === 'object' && !Array.isArray(plain) ? (plain as Record<string, unknown>) : null
  } catch {
    return null
  }
}
