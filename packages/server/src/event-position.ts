import type { StoreEvent } from 'palimpsest/internals/store/index'

/** Before everything that ever happened. */
export const START = '0'

/** What a caller may hand in: so many digits are numbers that no precision is lost of. */
const POSITION = /^\d{1,15}(\.\d{1,15})?(~[0-9a-f]{1,32})?$/

export const POSITION_RULE = 'the id of an event that was received, or "start" for all that there is'

/** `null`: it is none. */
export function readPosition(written: string): string | null {
  if (written === 'start') return START
  return POSITION.test(written) ? written : null
}

/** Below 0: the first is earlier. `9.2` is before `9.10`, and that before `10`. Both are of the same history. */
export function comparePositions(first: string, second: string): number {
  const [major = 0, minor = 0] = numbersOf(first)
  const [otherMajor = 0, otherMinor = 0] = numbersOf(second)
  return major - otherMajor || minor - otherMinor
}

function numbersOf(position: string): readonly number[] {
  return position.replace(/~.*/, '').split('.').map(Number)
}

export function isAfter({ position }: Pick<StoreEvent, 'position'>, other: string): boolean {
  return comparePositions(position, other) > 0
}
