/**
 * Ids and documents hold what strangers wrote. On a screen a control character of theirs could move the
 * cursor or worse, so there each is shown by its number. Line breaks and tabs of a document are its own.
 */

export function inertText(text: string): string {
  return text.replace(/[^\P{Cc}\n\t]|[\p{Zl}\p{Zp}]/gu, showNumber)
}

/** Nor could what changes the direction of writing make a line read as another. */
export function inertLine(text: string): string {
  return text.replace(/[\p{Cc}\p{Zl}\p{Zp}\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu, showNumber)
}

/** Of text that is ours and has lines of its own. */
export function inertLines(text: string): string {
  return text.split('\n').map(inertLine).join('\n')
}

function showNumber(character: string): string {
  return `\\u{${character.codePointAt(0)!.toString(16)}}`
}
