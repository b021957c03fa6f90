import type { StoreEvent } from '../store/index.ts'

/** Before everything that ever happened. */
export const START = '0'

/** What a caller may hand in: so many digits are numbers that no precision is lost of. */
const POSITION = /^\d{1,15}(\.\d{1,15})?$/

export const POSITION_RULE = 'the id of an event that was received, or "start" for all that there is'

/** `null`: it is none. */
export function readPosition(written: string): string | null {
  if (written === 'start') return START
  return POSITION.test(written) ? written : null
}

/** Below 0: the first is earlier. `9.2` is before `9.10`, and that before `10`. */
export function comparePositions(first: string, second: string): number {
  const [major = 0, minor = 0] = first.split('.').map(Number)
  const [otherMajor = 0, otherMinor = 0] = second.split('.').map(Number)
  return major - otherMajor || minor - otherMinor
}

export function isAfter({ position }: Pick<StoreEvent, 'position'>, other: string): boolean {
  return comparePositions(position, other) > 0
}
