export function countText(value: number): string {
  return value.toLocaleString('en-US')
}
