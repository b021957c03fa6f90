/**
 * Ids and documents hold text of strangers. On a screen its control characters could move the cursor or do
 * worse, so each is shown by its number. The line breaks and tabs of a document stay.
 */

export function inertText(text: string): string {
  return text.replace(/[^\P{Cc}\n\t]|[\p{Zl}\p{Zp}]/gu, showNumber)
}

/** Also shows characters that change the direction of writing: they could make a line read as another. */
export function inertLine(text: string): string {
  return text.replace(/[\p{Cc}\p{Zl}\p{Zp}\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu, showNumber)
}

/** For text of ours that has several lines. */
export function inertLines(text: string): string {
  return text.split('\n').map(inertLine).join('\n')
}

function showNumber(character: string): string {
  return `\\u{${character.codePointAt(0)!.toString(16)}}`
}
