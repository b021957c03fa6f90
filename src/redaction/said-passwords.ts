import { isCounted } from './assignments.ts'
import { isPassword } from './plausible-value.ts'
import type { Span } from './span.ts'
import { type Value, ValueReader } from './written-value.ts'

/** Passwords in words: `the password is …`, `password for the wifi: …`, `密码是…`, `--password …`. */

const ENGLISH =
  /passw(?:or)?d(?:[ \t](?:for|of|to|on|at|in)(?:[ \t][\w'’.-]{1,24}){1,5})?(?:[ \t](?:is|was|set to|changed to|is now)|['’]s)?[ \t]?[:：]?[ \t]{1,3}/gi
const CHINESE =
  /(?:密码|密碼|(?<![淘包])口令)[ \t]{0,2}(?:就?是|为|為|改成|改为|换成|设为|设成)?[ \t]{0,2}[:：]?[ \t]{0,2}/g

export function findSaidPasswords(text: string, found: Span[]): void {
  const reader = new ValueReader(text)
  for (const [words, isSaid] of [
    [ENGLISH, isSaidInEnglish],
    [CHINESE, isSaidInChinese],
  ] as const)
    for (const match of text.matchAll(words)) {
      const at = match.index + match[0].length
      const value = reader.read(at)
      // Right there: what is read past more signs is none that the words speak of.
      if (value === null || value.start !== at + (value.isQuoted ? 1 : 0)) continue
      const { start, end, isQuoted } = value
      if (isPassword(text.slice(start, end), { isQuoted, isExact: false }) && isSaid(text, match, value))
        found.push({ start, end, kind: 'password' })
    }
}

/** Without a verb or a colon the words may go on: `忘记密码windows10怎么办`. */
function isSaidInChinese(text: string, words: RegExpExecArray, { start, end, isQuoted }: Value): boolean {
  if (isQuoted) return true
  if (isCounted(text, end)) return false
  if (!/^[密口][码碼令][ \t]*$/.test(words[0])) return true
  const value = text.slice(start, end)
  return (
    /^\d{6,}$/.test(value) ||
    /^(?:$|[\n\r，。；！？、）,.;!?)])/.test(text.slice(end, end + 1)) ||
    STRONG.test(value)
  )
}

/** What follows the last word of a clause. */
const AFTER_CLAUSE =
  /^(?:\s*$|\s*[\n\r]|[.,;!?)\]}]{1,3}(?:\s|$|[^ -~])|[^ -~]|\s(?:and|but|so|then|thanks|please|btw|now)\b)/
/** No word of any language. */
const STRONG = /^(?=.*[a-z])(?=.*[A-Z])(?=.*\d).{8,}$/

function isSaidInEnglish(text: string, words: RegExpExecArray, { start, end, isQuoted }: Value): boolean {
  // Without a verb or a colon it can only be the flag of a command.
  if (/^passw(?:or)?d[ \t]+$/i.test(words[0]))
    return /(?:^|\s)--?[\w-]{0,20}$/.test(text.slice(Math.max(0, words.index - 24), words.index))
  return isQuoted || AFTER_CLAUSE.test(text.slice(end, end + 10)) || STRONG.test(text.slice(start, end))
}
