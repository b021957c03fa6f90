import { isLineBreak } from '../log/index.ts'

/**
 * `--- PASS: TestLogin2FA`, `# PASS: 123456`: in the output of test programs, `pass` does not name a
 * password. A value is left only if the program itself could have written it: the name of a test, or a number
 * of tests.
 */

/** How far to look around a value: enough for the lines next to it, and linear for any number of values. */
const NEARBY = 200

interface Place {
  /** Where the name ends. */
  readonly nameEnd: number
  readonly start: number
  readonly end: number
}

export function isTestVerdict(text: string, { nameEnd, start, end }: Place): boolean {
  const name = /[A-Za-z]{0,12}[ _.-]?pass$/i.exec(text.slice(Math.max(0, nameEnd - 17), nameEnd))?.[0]
  if (name === undefined) return false
  const value = text.slice(start, end)
  const before = text.slice(Math.max(0, nameEnd - 4 - NEARBY), nameEnd - 4)
  const after = text.slice(end, end + NEARBY)
  // Beside a user's name, the value is what the user logs in with.
  const isOfUser = CREDENTIALS.test(before) || CREDENTIALS.test(after)
  if (/^\d+$/.test(value))
    return !isOfUser && (COUNTER.test(name) || COUNTS.test(before) || COUNTS.test(after))
  const word = text.slice(nameEnd - 4, nameEnd)
  if (/[A-Za-z0-9_]$/.test(before) || !/^(?:PASS|pass|Pass)$/.test(word)) return false
  if (/^\d{1,7}(?:ms|µs)$/.test(value)) return true
  if (!/^[\w./:#-]+$/.test(value)) return false
  if (!isOfUser && DURATION.test(after)) return true
  const line = lastLine(before)
  if (/-{3}[ \t]{0,4}$/.test(line) && GO_TEST.test(value)) return true
  if (word !== 'PASS' || isOfUser) return false
  if (SAYS_RESULT.test(line) || SAYS_BEHAVIOUR.test(after)) return true
  if (!MARKS_ONLY.test(line)) return false
  return TICK.test(line) || isTestName(value) || OTHER_VERDICT.test(before) || OTHER_VERDICT.test(after)
}

/** `testsPass: 1234567` */
const COUNTER = /^(?:tests?|num|count|total)[ _.-]?pass$/i
const COUNTS =
  /(?:^|[^A-Za-z])(?:fail(?:ed|ures?|s)?|skip(?:ped|s)?|xfail|tests)["']?[ \t]{0,4}[:=]?[ \t]{0,4}\d/i
/** `(0.00s)`, `[12 ms]` */
const DURATION = /^[ \t]{0,3}[([]\d{1,7}(?:\.\d{1,6})?[ \t]?(?:ms|µs|us|ns|s|secs?|seconds?)[)\]]/
const GO_TEST = /^(?:Test|Example|Benchmark|Fuzz)(?![a-z])[\w./-]*$/
const CREDENTIALS =
  /(?:^|[^a-z])(?:user(?:[ _-]?name)?|login|e-?mail|host|server|account|url)["']?[ \t]{0,3}[:=]/i
const SAYS_RESULT = /(?:^|[^a-z])(?:result|status|verdict|outcome)[ \t]{0,3}[:=][ \t]{0,3}$/i
const SAYS_BEHAVIOUR = /^[ \t]{1,3}(?:should|returns|throws|rejects|accepts)[ \t]/
/** What test runners and people write before a verdict: bullets, rules, ticks, emphasis. */
const MARKS_ONLY = /^(?:[\s#>=*|+_`✓✔✅☑🟢-]|\ufe0f)*$/u
const TICK = /[✓✔✅☑🟢]/u
const OTHER_VERDICT =
  /(?:^|\n)[ \t]{0,8}(?:-{3} |[✗✘❌] ?)?(?:(?:FAIL|XFAIL|SKIP):[ \t]+[\w./:#-]+[ \t]{0,3}(?:$|[\n\r([])|(?:not )?ok[ \t]+(?:\d+(?:$|[ \n\r])|\S+[ \t]+[\d.]+s|\S+[ \t]+\(cached)|={3} RUN)/

function isTestName(value: string): boolean {
  if (GO_TEST.test(value) && /[A-Z]/.test(value.slice(4))) return true
  if (/^tests?[_./-]\w/.test(value) || /(?:^|[/.:_-])(?:tests?|specs?|LayoutTests)(?:[/.:_-]|$)/.test(value))
    return true
  return /^[\w.-]+(?:\/[\w.-]+)+\.(?:html?|sh|[cm]?[jt]sx?|py|go|rb|c|cc|cpp|java|rs|php|t)$/.test(value)
}

function lastLine(text: string): string {
  let start = text.length
  while (start > 0 && !isLineBreak(text.charCodeAt(start - 1))) start--
  return text.slice(start)
}
