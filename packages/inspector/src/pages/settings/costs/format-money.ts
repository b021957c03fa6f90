/** `symbol` is the sign in the price list, such as $. A small amount keeps two significant digits. */
export function formatMoney(value: number, symbol: string): string {
  if (value === 0) return `${symbol}0`
  const digits = value >= 1 ? 2 : Math.min(8, 1 - Math.floor(Math.log10(value)))
  return symbol + value.toFixed(digits)
}
