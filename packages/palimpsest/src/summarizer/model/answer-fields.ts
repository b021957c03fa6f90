import { realDay } from '../calendar-day.ts'

export type Fields = Readonly<Record<string, unknown>>

/** Models that think aloud put it before the answer. */
const THINKING = /^\s*<(think|thinking|reasoning)>[\s\S]*?<\/\1>/i

export function withoutThinking(text: string): string {
  return text.replace(THINKING, '').trim()
}

export function isObject(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** `YYYY-MM-DD`, whatever stands behind it; `null`: no day of the calendar. */
export function readDay(value: unknown): string | null {
  const day = /^(\d{4})-(\d{2})-(\d{2})/.exec(typeof value === 'string' ? value : '')
  return day && realDay(Number(day[1]), Number(day[2]), Number(day[3])) !== null ? day[0] : null
}

/** Also as numbers are shown: `#12`, `[3]`. `NaN`: it is none. */
export function readNumber(value: unknown): number {
  const digits = String(value ?? '').replace(/^[#[]|\]$/g, '')
  return digits === '' ? Number.NaN : Number(digits)
}
