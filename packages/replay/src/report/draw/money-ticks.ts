import { formatMoney } from '../format.ts'

/** Whole amounts are written without cents, if no other amount has any. */
export function moneyTicks(ticks: readonly number[], currency: string): { tick: number; text: string }[] {
  const texts = ticks.map(tick => formatMoney(tick, currency))
  const whole = ticks.every(Number.isInteger)
  return ticks.map((tick, index) => ({
    tick,
    text: whole ? texts[index]!.replace(/\.00$/, '') : texts[index]!,
  }))
}
