/**
 * `matchAll` copies the expression at each call, and a copy is compiled again; over a long range, that is
 * most of the time. The expression must be global and must match no empty text. `visit` must not use the
 * expression.
 */
export function forEachMatch(
  expression: RegExp,
  text: string,
  visit: (match: RegExpExecArray) => void,
): void {
  expression.lastIndex = 0
  for (;;) {
    const match = expression.exec(text)
    if (match === null) return
    visit(match)
  }
}
