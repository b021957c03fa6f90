import { styleText } from 'node:util'
import { originLabel } from 'palimpsest/internals/context/index'
import type { Excerpt, SearchAnswer, SearchResult } from 'palimpsest/internals/finding/index'
import { FALLBACK_LANGUAGE } from 'palimpsest/internals/language/index'
import { inertLine } from './inert-text.ts'
import { timeText } from './memory-text.ts'
import type { Terminal } from './terminal.ts'

interface Shown {
  readonly zone: string
  readonly screen: Terminal['output']
}

/** One block for each result: place, speaker and time, then the passage between its neighbours. */
export function resultsText({ results, next, people = [] }: SearchAnswer, shown: Shown): string {
  const blocks = results.map(result => blockOf(result, shown))
  const more = next === null ? '' : `\nnext page: --cursor ${next}\n`
  const named = people.map(({ id, name = id }) => oneLine(`${name} (${id})`))
  const several =
    named.length === 0 ? '' : `\nseveral people have this name: ${named.join(', ')}; --sender takes an id\n`
  return `${blocks.join('\n')}${more}${several}`
}

function blockOf(result: SearchResult, { zone, screen }: Shown): string {
  const { sessionId, seq, at, before, after } = result
  const neighbour = (excerpt: Excerpt) =>
    `    ${emphasize('dim', `${speakerOf(excerpt)}: ${oneLine(excerpt.excerpt)}`, screen)}`
  const lines = [
    `${oneLine(sessionId)}/${seq}  ${speakerOf(result)}  ${timeText(at, zone)} ${zone}`,
    ...before.filter(isSaid).map(neighbour),
    `  > ${highlighted(result, screen)}`,
    ...after.filter(isSaid).map(neighbour),
  ]
  return lines.map(line => `${line.trimEnd()}\n`).join('')
}

/** The excerpt is empty where a message only repeats what was said before. */
function isSaid({ excerpt }: Excerpt): boolean {
  return excerpt.trim() !== ''
}

function speakerOf({ sender, role, origin, answered }: Excerpt): string {
  const source = origin ? ` (${originLabel(origin, FALLBACK_LANGUAGE)})` : ''
  const passedOn = answered?.origin ? `, ${originLabel(answered.origin, FALLBACK_LANGUAGE)}` : ''
  const asked = answered ? ` (answering ${nameOf(answered)}${passedOn}: ${answered.text})` : ''
  return oneLine(`${nameOf({ sender, role })}${source}${asked}`)
}

function nameOf({ sender, role }: Pick<Excerpt, 'sender' | 'role'>): string {
  const { id = role, name } = sender ?? {}
  return name === undefined || name === '' || name === id ? id : `${name} (${id})`
}

function highlighted({ excerpt, highlights }: SearchResult, screen: Terminal['output']): string {
  let text = ''
  let end = 0
  for (const [from, to] of highlights) {
    text += oneLine(excerpt.slice(end, from)) + emphasize('bold', oneLine(excerpt.slice(from, to)), screen)
    end = to
  }
  return text + oneLine(excerpt.slice(end))
}

function oneLine(text: string): string {
  return inertLine(text.replace(/\s+/g, ' '))
}

/** Only on a screen, and only where the environment does not forbid it (NO_COLOR). */
function emphasize(style: 'bold' | 'dim', text: string, screen: Terminal['output']): string {
  return screen.isTTY ? styleText(style, text, { stream: screen }) : text
}
