import { createValue, useValue } from '../state/value.ts'

export type Language = 'en' | 'zh'

const STORED_UNDER = 'palimpsest-language'

export const language = createValue<Language>(initialLanguage())
document.documentElement.lang = tagOf(language.get())

function initialLanguage(): Language {
  const stored = localStorage.getItem(STORED_UNDER)
  if (stored === 'en' || stored === 'zh') return stored
  return navigator.language.toLowerCase().startsWith('zh') ? 'zh' : 'en'
}

export function setLanguage(chosen: Language): void {
  localStorage.setItem(STORED_UNDER, chosen)
  document.documentElement.lang = tagOf(chosen)
  language.set(chosen)
}

function tagOf(chosen: Language): string {
  return chosen === 'zh' ? 'zh-CN' : 'en'
}

/** The texts of a part of the page, in both languages. The compiler checks that both have the same names. */
export function defineTexts<Texts>(texts: { readonly en: Texts; readonly zh: NoInfer<Texts> }): () => Texts {
  return () => texts[useValue(language)]
}

/** How numbers and times are written in the chosen language. */
export function useFormats() {
  const chosen = useValue(language)
  return FORMATS[chosen]
}

export type Formats = ReturnType<typeof useFormats>

function formatsOf(tag: string) {
  const whole = new Intl.NumberFormat(tag)
  const short = new Intl.NumberFormat(tag, { notation: 'compact', maximumFractionDigits: 1 })
  const percent = new Intl.NumberFormat(tag, { style: 'percent', maximumFractionDigits: 0 })
  const day = new Intl.DateTimeFormat(tag, { year: 'numeric', month: 'short', day: 'numeric' })
  const minute = new Intl.DateTimeFormat(tag, { hour: '2-digit', minute: '2-digit' })
  const moment = new Intl.DateTimeFormat(tag, { dateStyle: 'medium', timeStyle: 'short' })
  const relative = new Intl.RelativeTimeFormat(tag, { numeric: 'auto', style: 'short' })
  return {
    number: (value: number) => whole.format(value),
    short: (value: number) => short.format(value),
    percent: (value: number) => percent.format(value),
    day: (at: string) => day.format(new Date(at)),
    time: (at: string) => minute.format(new Date(at)),
    moment: (at: string) => moment.format(new Date(at)),
    /** How long ago, in the largest unit that fits. */
    ago: (at: string, now = Date.now()) => {
      const seconds = (Date.parse(at) - now) / 1000
      for (const [unit, size] of UNITS)
        if (Math.abs(seconds) >= size) return relative.format(Math.trunc(seconds / size), unit)
      return relative.format(0, 'second')
    },
    money: (value: number, currency = 'USD') =>
      new Intl.NumberFormat(tag, {
        style: 'currency',
        currency,
        maximumSignificantDigits: 3,
        minimumSignificantDigits: 2,
      }).format(value),
  }
}

const UNITS = [
  ['year', 31_557_600],
  ['month', 2_629_800],
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
] as const

const FORMATS = { en: formatsOf('en'), zh: formatsOf('zh-CN') }

/** English has two forms, Chinese one. */
export function counted(count: number, one: string, many: string): string {
  return count === 1 ? one : many
}
