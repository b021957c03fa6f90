/** As a share. A reader cannot see a smaller difference: it would be written as ±0.0%. */
const SAME = 0.0005

export function isSameMoney(a: number, b: number): boolean {
  return a === b || Math.abs(a - b) < Math.max(a, b) * SAME
}

export function isCheaper(a: number, b: number): boolean {
  return a < b && !isSameMoney(a, b)
}
