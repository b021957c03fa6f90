import { isSameMoney } from './same-money.ts'

const SMALLEST_MONEY = 1e-9
/** Between these two shares, one decimal is enough to write neither 0% nor 100%. */
const SMALLEST_SHARE = 0.0005
const LARGEST_SHARE = 0.999
/** From this ratio on, a factor is easier to picture than a percentage. */
const MANY_TIMES = 2.995
const MAX_TIMES = 1e6

const cents = new Intl.NumberFormat('en-US', { minimumFractionDigits: 2, maximumFractionDigits: 2 })
const threeDigits = new Intl.NumberFormat('en-US', { maximumSignificantDigits: 3, minimumFractionDigits: 2 })
const whole = new Intl.NumberFormat('en-US', { maximumFractionDigits: 0 })
const compact = new Intl.NumberFormat('en-US', { notation: 'compact', maximumSignificantDigits: 3 })

/** Writes `$1,235`, `$12.35`, `$0.0123`: as exact as a reader can take in at a glance. */
export function formatMoney(amount: number, currency: string): string {
  const symbol = /\p{L}$/u.test(currency) ? `${currency} ` : currency
  if (amount === 0) return `${symbol}0`
  const size = Math.abs(amount)
  const sign = amount < 0 ? '−' : ''
  if (size < SMALLEST_MONEY) return `${sign}<${symbol}0.000000001`
  return `${sign}${symbol}${moneyDigits(size)}`
}

function moneyDigits(size: number): string {
  if (size >= 999_999.5) return compact.format(size)
  if (size >= 999.995) return whole.format(size)
  if (size >= 0.9995) return cents.format(size)
  const short = threeDigits.format(size)
  return /\.\d$/.test(short) ? `${short}0` : short
}

/** Writes `950`, `12.4k`, `1.2M`. */
export function formatTokens(tokens: number): string {
  return tokens < 999.5 ? whole.format(tokens) : compact.format(tokens).replace('K', 'k')
}

export function formatCount(count: number): string {
  return whole.format(count)
}

/** Writes a share from 0 to 1 in percent. A share between 0 and 1 never becomes 0% or 100%. */
export function formatShare(share: number): string {
  if (share > 0 && share < SMALLEST_SHARE) return '<0.1%'
  if (share < 1 && share > LARGEST_SHARE) return '>99.9%'
  const percent = share * 100
  if (percent >= 999.5) return `${whole.format(percent)}%`
  const digits = percent < 9.95 || (percent > 99 && percent < 100) ? 1 : 0
  return `${percent.toFixed(digits).replace(/\.0$/, '')}%`
}

/** How much more or less `amount` is than `reference`: `+6%`, `−92%`; from three times on `3.2×`. */
export function formatDifference(amount: number, reference: number): string | null {
  if (reference <= 0) return null
  const ratio = amount / reference
  if (ratio >= MANY_TIMES) return `${formatFactor(ratio)}×`
  if (isSameMoney(amount, reference)) return '±0%'
  return ratio < 1 ? `−${formatShare(1 - ratio)}` : `+${formatShare(ratio - 1)}`
}

export function formatFactor(ratio: number): string {
  if (ratio >= MAX_TIMES) return `>${whole.format(MAX_TIMES)}`
  return ratio < 99.5 ? compact.format(ratio) : whole.format(ratio)
}

/** Writes `one`, `one and two`, `one, two and three`. */
export function formatList(items: readonly string[]): string {
  if (items.length < 2) return items.join('')
  return `${items.slice(0, -1).join(', ')} and ${items.at(-1)}`
}

export function formatPlural(count: number, one: string, many = `${one}s`): string {
  return `${formatCount(count)} ${count === 1 ? one : many}`
}
