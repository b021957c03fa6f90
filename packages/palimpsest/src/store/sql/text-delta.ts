/**
 * The way back from a text to an earlier one: how much of the beginning and of the end they share, and the
 * earlier text between the two. Most changes add a line, so most deltas are a few bytes, whatever the size of
 * the text.
 */
export type TextDelta = readonly [prefix: number, suffix: number, between: string]

export function deltaBack(earlier: string, later: string): TextDelta {
  const most = Math.min(earlier.length, later.length)
  let prefix = 0
  while (prefix < most && earlier[prefix] === later[prefix]) prefix += 1
  let suffix = 0
  while (suffix < most - prefix && earlier.at(-1 - suffix) === later.at(-1 - suffix)) suffix += 1
  return [prefix, suffix, earlier.slice(prefix, earlier.length - suffix)]
}

export function goBack(later: string, [prefix, suffix, between]: TextDelta): string {
  return later.slice(0, prefix) + between + later.slice(later.length - suffix)
}
