import { readFileSync } from 'node:fs'
import type { SourceMessage, Summary } from '../../packages/palimpsest/src/summarizer/index.ts'

/** A short talk with what its summary must hold, must not hold, and what must stand together in it. */
export interface Exchange {
  readonly name: string
  readonly language: 'en' | 'zh'
  readonly said: readonly Said[]
  readonly held: readonly string[]
  readonly never: readonly string[]
  readonly corrected: readonly { readonly old: string; readonly now: string }[]
  readonly turned: readonly { readonly part: string; readonly by: string }[]
  readonly answers: readonly { readonly question: string; readonly answer: string }[]
}

interface Said {
  readonly name: string
  readonly text: string
  /** Its place in the talk, from 1. */
  readonly answers: number | null
}

const FILES = { en: 'english.txt', zh: 'chinese.txt' } as const
const MESSAGE = /^([^\s:]{1,12}): (?:\((\d+)\) )?(.+)$/u

export function readExchanges(): readonly Exchange[] {
  return (['en', 'zh'] as const).flatMap(language =>
    readFileSync(new URL(FILES[language], import.meta.url), 'utf8')
      .split('\n')
      .filter(line => !line.startsWith('#'))
      .join('\n')
      .split(/\n\s*\n/)
      .filter(block => block.trim() !== '')
      .map(block => readExchange(block.trim().split('\n'), language)),
  )
}

function readExchange(lines: readonly string[], language: 'en' | 'zh'): Exchange {
  const said: Said[] = []
  const found = { held: [], never: [], corrected: [], turned: [], answers: [] } as {
    held: string[]
    never: string[]
    corrected: { old: string; now: string }[]
    turned: { part: string; by: string }[]
    answers: { question: string; answer: string }[]
  }
  let isRule = false
  for (const line of lines) {
    const message = isRule ? null : MESSAGE.exec(line)
    if (message) {
      said.push({ name: message[1]!, text: message[3]!, answers: message[2] ? Number(message[2]) : null })
      continue
    }
    isRule = true
    const two = (mark: string) => line.split(mark).map(each => each.trim()) as [string, string]
    if (line.startsWith('+ ')) found.held.push(line.slice(2))
    else if (line.startsWith('- ')) found.never.push(line.slice(2))
    else if (line.includes(' -> ')) {
      const [old, now] = two(' -> ')
      found.corrected.push({ old, now })
    } else if (line.includes(' ~ ')) {
      const [part, by] = two(' ~ ')
      found.turned.push({ part, by })
    } else if (line.includes(' ? ')) {
      const [question, answer] = two(' ? ')
      found.answers.push({ question, answer })
    } else throw new Error(`No rule and no message: ${line}`)
  }
  return { name: said.map(({ text }) => text).join(' / '), language, said, ...found }
}

/** As messages of one range, a minute apart. */
export function messagesOf(exchanges: readonly Exchange[]): SourceMessage[] {
  const messages: SourceMessage[] = []
  for (const { said } of exchanges) {
    const first = messages.length
    for (const { name, text, answers } of said)
      messages.push({
        seq: messages.length + 1,
        role: name === 'Bot' ? 'assistant' : 'user',
        sender: { id: name, name },
        content: text,
        at: new Date(Date.UTC(2026, 2, 2, 10, messages.length)),
        zone: null,
        replyTo: answers === null ? null : first + answers,
      })
  }
  return messages
}

/** Lines and details, each of which is read alone. */
export function partsOf({ text, details, events, extracts }: Summary): string[] {
  return [
    ...text.split('\n'),
    ...details,
    ...events.map(event => event.text),
    ...(extracts ?? []).map(extract => extract.text),
  ]
}

/** What a summary does wrong that it must never do, whatever the room that it has. */
export function faultsOf(
  { never, corrected, turned, answers }: Exchange,
  summary: Summary,
): { kind: 'never' | 'corrected' | 'turned' | 'answers'; fault: string }[] {
  const parts = partsOf(summary)
  const lines = summary.text.split('\n')
  const all = parts.join('\n')
  return [
    ...never.filter(each => all.includes(each)).map(fault => ({ kind: 'never' as const, fault })),
    ...corrected
      .filter(({ old, now }) => summary.text.includes(old) && !summary.text.includes(now))
      .map(({ old, now }) => ({ kind: 'corrected' as const, fault: `${old} without ${now}` })),
    ...corrected
      .filter(({ old, now }) =>
        parts.slice(lines.length).some(part => part.includes(old) && !part.includes(now)),
      )
      .map(({ old, now }) => ({
        kind: 'corrected' as const,
        fault: `${old} without ${now} beside the text`,
      })),
    ...turned
      .filter(({ part, by }) => parts.some(each => each.includes(part) && !each.includes(by)))
      .map(({ part, by }) => ({ kind: 'turned' as const, fault: `${part} without ${by}` })),
    ...answers
      .filter(({ question, answer }) => isMisplaced(lines, question, answer))
      .map(({ question, answer }) => ({
        kind: 'answers' as const,
        fault: `${answer} not under ${question}`,
      })),
  ]
}

function isMisplaced(lines: readonly string[], question: string, answer: string): boolean {
  const asked = question.toLowerCase()
  const at = lines.findIndex(line => (/[:：]/.test(answer) ? endsSo(line, answer) : line.includes(answer)))
  if (at < 0) return false
  return !(lines[at - 1]?.toLowerCase().includes(asked) || lines[at]!.toLowerCase().includes(asked))
}

/** `Cleo: me`, and not what else she said. */
function endsSo(line: string, answer: string): boolean {
  const at = line.indexOf(answer)
  return at >= 0 && !/[\p{L}\p{N}]/u.test(line.charAt(at + answer.length))
}
