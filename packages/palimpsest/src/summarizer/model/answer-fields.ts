import { realDay } from '../calendar-day.ts'

export type Fields = Readonly<Record<string, unknown>>

/** Models that think aloud put their thoughts before the answer. */
const THINKING = /^\s*<(think|thinking|reasoning)>[\s\S]*?<\/\1>/i

export function withoutThinking(text: string): string {
  return text.replace(THINKING, '').trim()
}

export function isObject(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** `YYYY-MM-DD`, with any text behind it; `null`: no day of the calendar. */
export function readDay(value: unknown): string | null {
  const day = /^(\d{4})-(\d{2})-(\d{2})/.exec(typeof value === 'string' ? value : '')
  return day && realDay(Number(day[1]), Number(day[2]), Number(day[3])) !== null ? day[0] : null
}

/** Also reads numbers as the model is shown them: `#12`, `[3]`. `NaN`: no number. */
export function readNumber(value: unknown): number {
  const digits = String(value ?? '').replace(/^[#[]|\]$/g, '')
  return digits === '' ? Number.NaN : Number(digits)
}
