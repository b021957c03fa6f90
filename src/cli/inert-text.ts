/**
 * Ids and documents hold what strangers wrote. On a screen a control character of theirs could move the
 * cursor or worse, so there each is shown by its number. Line breaks and tabs of a document are its own.
 */

export function inertText(text: string): string {
  return text.replace(/[^\P{Cc}\n\t]/gu, showNumber)
}

export function inertLine(text: string): string {
  return text.replace(/[\p{Cc}\p{Zl}\p{Zp}]/gu, showNumber)
}

function showNumber(character: string): string {
  return `\\u{${character.codePointAt(0)!.toString(16)}}`
}
