import type { RecordedStatement } from './recorded-group-statements.ts'

/** A line of a derived text, as a reader takes it. */
export interface ToldLine {
  readonly text: string
  /** As the line names its speaker; `null`: it names none. */
  readonly speaker: string | null
  /** On which it was said; `null`: the line does not say. */
  readonly day: string | null
}

const LINE = /^\s*- (?:(\d{4}-\d{2}-\d{2})(?: \d{2}:\d{2})?:? )?(.*)$/
/** `Alex (telegram:502) forwarded from Petra (telegram:90211)`, `Ann (The letter reads)`. */
const SPEAKER = /^((?:"[^"]*"|[^:：(]{1,40}|\([^()]*\)){1,6}?): /

/** The lines of a summary: a day stands where it changes. */
export function linesOf(summary: string): ToldLine[] {
  const lines: ToldLine[] = []
  let day: string | null = null
  for (const line of summary.split('\n')) {
    const read = LINE.exec(line)
    if (!read) continue
    day = read[1] ?? day
    lines.push(saidIn(read[2]!, day))
  }
  return lines
}

/** `Ann: the code is 7714#`. */
export function saidIn(line: string, day: string | null): ToldLine {
  const speaker = SPEAKER.exec(line)?.[1]?.replaceAll('"', '') ?? null
  return { text: line, speaker, day }
}

/** People of the group whose names are nobody else's, and never changed. */
const CLEAR: Readonly<Record<string, string>> = { 小雯: '507', 大刘: '508' }

/** The id of who is named; `null`: a reader cannot tell. `legend`: who a name alone is, in that part. */
function personOf(speaker: string | null, legend: ReadonlyMap<string, string>): string | null {
  if (speaker === null) return null
  const id = /\(telegram:(\d+)/.exec(speaker)?.[1]
  return id ?? CLEAR[speaker] ?? legend.get(speaker) ?? null
}

/** `(In this part Bob is Bob (telegram:503), now Robert; …)`: names that are one person's there. */
export function legendIn(part: string): ReadonlyMap<string, string> {
  const legend = new Map<string, string>()
  for (const line of part.split('\n')) {
    const said = /^\s*\(In this part (.*)\)$/.exec(line)?.[1]
    for (const each of said?.split(';') ?? []) {
      const [, name, who] = /^\s*(.+?) is (.*)$/.exec(each.trim()) ?? []
      const ids = [...(who ?? '').matchAll(/\(telegram:(\d+)/g)].map(([, id]) => id!)
      if (name !== undefined && ids.length === 1) legend.set(name, ids[0]!)
    }
  }
  return legend
}

/** `With: Robert (telegram:503; earlier Bob), …`: names that only one of them ever had. */
export function peopleIn(document: string): ReadonlyMap<string, string> {
  const listed = /^- With: (.*)$/m.exec(document)?.[1] ?? ''
  const owners = new Map<string, Set<string>>()
  for (const [, name, id, earlier = ''] of listed.matchAll(
    /([^,(]+) \(telegram:(\d+)(?:; earlier ([^)]*))?\)/g,
  ))
    for (const each of [name!, ...earlier.split(',')].map(each => each.trim()).filter(Boolean))
      owners.set(each, (owners.get(each) ?? new Set()).add(id!))
  return new Map([...owners].filter(([, ids]) => ids.size === 1).map(([each, ids]) => [each, [...ids][0]!]))
}

/** That it is passed on, and from whom. */
const PASSED_ON = /forwarded|转发|["“「].*|reads\)?:/

/** What is wrong with how a line tells a statement; empty: nothing. */
export function faultsOf(
  line: ToldLine,
  statement: RecordedStatement,
  legend: ReadonlyMap<string, string>,
): string[] {
  const { speaker, passedOnBy, day, manner, negation, words } = statement
  const faults: string[] = []
  const text = withoutAnswered(withoutDays(line.text))
  if (!text.includes(words)) return []
  const told = personOf(line.speaker, legend)
  const isPassedOn = manner === 'forwarded' || manner === 'quoted'
  const sayer = passedOnBy ?? speaker
  if (told !== sayer && !(isPassedOn && told === speaker))
    faults.push(`told of ${line.speaker}, who is ${told}, and not of ${sayer}`)
  if (line.day !== null && line.day !== day) faults.push(`told on ${line.day} and not on ${day}`)
  if (isPassedOn && told !== speaker) {
    const before = text.slice(0, text.indexOf(words))
    if (!PASSED_ON.test(before)) faults.push('told as the own words of who passed it on')
  }
  if (manner === 'joke' && !/kidding/.test(text)) faults.push('a joke is told in earnest')
  if (negation && text.includes(negation.part)) {
    const before = text.slice(0, text.indexOf(negation.part))
    if (!new RegExp(`\\b${negation.with}\\b`).test(before)) faults.push(`told without "${negation.with}"`)
  }
  return faults
}

/** What a message answers stands before it, with whose words it is. */
function withoutAnswered(text: string): string {
  return text.replace(/\((?:[^()“]|\([^()]*\))*: “[^”]*”\) /, '')
}

const RESOLVED_DAY = / ?\(\d{4}-\d{2}-\d{2}(?:[-/–][\d-]+)?\)/g

export function withoutDays(text: string): string {
  return text.replace(RESOLVED_DAY, '')
}
