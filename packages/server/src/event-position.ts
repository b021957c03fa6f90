import type { StoreEvent } from 'palimpsest/internals/store/index'

/** The position before all events. */
export const START = '0'

/**
 * The form of a position that a caller may send. The number of digits is limited
 * so that numbers keep their precision.
 */
const POSITION = /^\d{1,15}(\.\d{1,15})?(~[0-9a-f]{1,32})?$/

export const POSITION_RULE = 'the id of an event that was received, or "start" for all that there is'

/** `null`: the text is not a position. */
export function readPosition(written: string): string | null {
  if (written === 'start') return START
  return POSITION.test(written) ? written : null
}

/**
 * Negative if `first` is earlier. `9.2` is before `9.10`, and `9.10` is before `10`. Both positions must be
 * of the same history of the database.
 */
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
