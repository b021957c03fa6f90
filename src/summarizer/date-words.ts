/**
 * The words for days, as data. A phrase stands for a unit and how many of them away it is; `null` marks a
 * phrase that only looks like one ("every Friday", "por la mañana").
 */

export type DateUnit = 'day' | 'week' | 'weekend' | 'month' | 'year'

export interface Meaning {
  readonly unit: DateUnit | 'weekday'
  readonly offset: number
  /** 0 for Monday to 6 for Sunday; 7 for the weekend of that week. */
  readonly weekday?: number
  /** How a weekday is found: in the week that `offset` names, just past, to come, or as the tense has it. */
  readonly find?: 'in-week' | 'past' | 'coming' | 'by-tense'
}

interface Language {
  readonly days: Readonly<Record<string, number | null>>
  readonly spans: Readonly<Record<string, readonly [DateUnit, number] | null>>
  /** Monday first, spellings divided by `|`. */
  readonly weekdays: readonly string[]
  /** Phrases with `*` for the weekday. */
  readonly next: readonly string[]
  readonly last: readonly string[]
  readonly coming: readonly string[]
  readonly never: readonly string[]
  readonly months: readonly string[]
}

const english: Language = {
  days: {
    today: 0,
    tonight: 0,
    'this morning': 0,
    'this afternoon': 0,
    'this evening': 0,
    tomorrow: 1,
    'day after tomorrow': 2,
    yesterday: -1,
    'last night': -1,
    'day before yesterday': -2,
    'the other day': null,
  },
  spans: {
    'this week': ['week', 0],
    'next week': ['week', 1],
    'last week': ['week', -1],
    'past week': ['week', -1],
    'this weekend': ['weekend', 0],
    'next weekend': ['weekend', 1],
    'last weekend': ['weekend', -1],
    'past weekend': ['weekend', -1],
    'this month': ['month', 0],
    'next month': ['month', 1],
    'last month': ['month', -1],
    'this year': ['year', 0],
    'next year': ['year', 1],
    'last year': ['year', -1],
  },
  weekdays: ['monday|mon', 'tuesday|tues', 'wednesday', 'thursday|thurs', 'friday|fri', 'saturday', 'sunday'],
  next: ['next *'],
  last: ['last *', 'past *'],
  coming: ['this *', 'coming *', 'by *', 'until *', 'before *'],
  never: ['every *', 'each *', 'most *', 'any *', 'black *'],
  months: [
    'january|jan',
    'february|feb',
    'march|mar',
    'april|apr',
    'may',
    'june|jun',
    'july|jul',
    'august|aug',
    'september|sept|sep',
    'october|oct',
    'november|nov',
    'december|dec',
  ],
}

const spanish: Language = {
  days: {
    hoy: 0,
    'esta noche': 0,
    'esta tarde': 0,
    mañana: 1,
    'pasado mañana': 2,
    ayer: -1,
    anoche: -1,
    anteayer: -2,
    'esta mañana': 0,
    'la mañana': null,
  },
  spans: {
    'esta semana': ['week', 0],
    'próxima semana': ['week', 1],
    'semana que viene': ['week', 1],
    'semana pasada': ['week', -1],
    'este fin de semana': ['weekend', 0],
    'próximo mes': ['month', 1],
    'mes que viene': ['month', 1],
    'mes pasado': ['month', -1],
    'próximo año': ['year', 1],
    'año que viene': ['year', 1],
    'año pasado': ['year', -1],
  },
  weekdays: ['lunes', 'martes', 'miércoles', 'jueves', 'viernes', 'sábado', 'domingo'],
  next: [],
  last: ['* pasado', 'pasado *'],
  coming: ['* que viene', 'próximo *', 'este *', 'el *'],
  never: [],
  months: [
    'enero',
    'febrero',
    'marzo',
    'abril',
    'mayo',
    'junio',
    'julio',
    'agosto',
    'septiembre|setiembre',
    'octubre',
    'noviembre',
    'diciembre',
  ],
}

const german: Language = {
  days: {
    heute: 0,
    morgen: 1,
    übermorgen: 2,
    gestern: -1,
    vorgestern: -2,
    'heute morgen': 0,
    'gestern morgen': -1,
    'guten morgen': null,
    'am morgen': null,
  },
  spans: {
    'diese woche': ['week', 0],
    'dieser woche': ['week', 0],
    'nächste woche': ['week', 1],
    'nächster woche': ['week', 1],
    'letzte woche': ['week', -1],
    'letzter woche': ['week', -1],
    'dieses wochenende': ['weekend', 0],
    'nächstes wochenende': ['weekend', 1],
    'letztes wochenende': ['weekend', -1],
    'nächsten monat': ['month', 1],
    'letzten monat': ['month', -1],
    'nächstes jahr': ['year', 1],
    'letztes jahr': ['year', -1],
  },
  weekdays: ['montag', 'dienstag', 'mittwoch', 'donnerstag', 'freitag', 'samstag|sonnabend', 'sonntag'],
  next: [],
  last: ['letzten *'],
  coming: ['am *', 'diesen *', 'kommenden *', 'bis *', 'nächsten *'],
  never: ['jeden *'],
  months: [
    'januar',
    'februar',
    'märz',
    'april',
    'mai',
    'juni',
    'juli',
    'august',
    'september',
    'oktober',
    'november',
    'dezember',
  ],
}

const french: Language = {
  days: {
    'aujourd’hui': 0,
    "aujourd'hui": 0,
    'ce soir': 0,
    demain: 1,
    'après-demain': 2,
    hier: -1,
    'avant-hier': -2,
  },
  spans: {
    'cette semaine': ['week', 0],
    'semaine prochaine': ['week', 1],
    'semaine dernière': ['week', -1],
    'ce week-end': ['weekend', 0],
    'week-end dernier': ['weekend', -1],
    'week-end prochain': ['weekend', 1],
    'mois prochain': ['month', 1],
    'mois dernier': ['month', -1],
    'année prochaine': ['year', 1],
    'an prochain': ['year', 1],
    'année dernière': ['year', -1],
    'an dernier': ['year', -1],
  },
  weekdays: ['lundi', 'mardi', 'mercredi', 'jeudi', 'vendredi', 'samedi', 'dimanche'],
  next: [],
  last: ['* dernier'],
  coming: ['* prochain', 'ce *'],
  never: ['le *'],
  months: [
    'janvier',
    'février',
    'mars',
    'avril',
    'mai',
    'juin',
    'juillet',
    'août',
    'septembre',
    'octobre',
    'novembre',
    'décembre',
  ],
}

const portuguese: Language = {
  days: { hoje: 0, amanhã: 1, 'depois de amanhã': 2, ontem: -1, anteontem: -2 },
  spans: {
    'esta semana': ['week', 0],
    'próxima semana': ['week', 1],
    'semana que vem': ['week', 1],
    'semana passada': ['week', -1],
    'próximo mês': ['month', 1],
    'mês que vem': ['month', 1],
    'mês passado': ['month', -1],
    'ano que vem': ['year', 1],
    'próximo ano': ['year', 1],
    'ano passado': ['year', -1],
  },
  weekdays: [
    'segunda-feira',
    'terça-feira',
    'quarta-feira',
    'quinta-feira',
    'sexta-feira',
    'sábado',
    'domingo',
  ],
  next: [],
  last: ['* passada', '* passado'],
  coming: ['na *', 'no *', 'próxima *', 'próximo *'],
  never: [],
  months: [
    'janeiro',
    'fevereiro',
    'março',
    'abril',
    'maio',
    'junho',
    'julho',
    'agosto',
    'setembro',
    'outubro',
    'novembro',
    'dezembro',
  ],
}

const italian: Language = {
  days: { oggi: 0, domani: 1, dopodomani: 2, ieri: -1, "l'altro ieri": -2 },
  spans: {
    'questa settimana': ['week', 0],
    'prossima settimana': ['week', 1],
    'settimana prossima': ['week', 1],
    'settimana scorsa': ['week', -1],
    'scorsa settimana': ['week', -1],
    'mese prossimo': ['month', 1],
    'mese scorso': ['month', -1],
    'anno prossimo': ['year', 1],
    'anno scorso': ['year', -1],
  },
  weekdays: [],
  next: [],
  last: [],
  coming: [],
  never: [],
  months: [],
}

const russian: Language = {
  days: { сегодня: 0, завтра: 1, послезавтра: 2, вчера: -1, позавчера: -2 },
  spans: {
    'этой неделе': ['week', 0],
    'следующей неделе': ['week', 1],
    'прошлой неделе': ['week', -1],
    'следующем месяце': ['month', 1],
    'прошлом месяце': ['month', -1],
    'следующем году': ['year', 1],
    'прошлом году': ['year', -1],
  },
  weekdays: ['понедельник', 'вторник', 'среду', 'четверг', 'пятницу', 'субботу', 'воскресенье'],
  next: [],
  last: ['прошлый *', 'прошлую *'],
  coming: ['в *', 'во *'],
  never: [],
  months: [
    'января',
    'февраля',
    'марта',
    'апреля',
    'мая',
    'июня',
    'июля',
    'августа',
    'сентября',
    'октября',
    'ноября',
    'декабря',
  ],
}

const LANGUAGES = [english, spanish, german, french, portuguese, italian, russian]

export interface Phrase {
  readonly words: string
  /** `null`: no date, and nothing inside it is one. */
  readonly meaning: Meaning | null
}

/** Phrases by their first word, the longest first. */
export const PHRASES: ReadonlyMap<string, readonly Phrase[]> = indexPhrases()

/** Month names in lower case, from 1. */
export const MONTHS: ReadonlyMap<string, number> = new Map(
  LANGUAGES.flatMap(({ months }) =>
    months.flatMap((spellings, index) => spellings.split('|').map(name => [name, index + 1] as const)),
  ),
)

function indexPhrases(): Map<string, Phrase[]> {
  const meanings = new Map<string, Meaning | null>()
  const add = (words: string, meaning: Meaning | null) => {
    if (!meanings.has(words)) meanings.set(words, meaning)
  }
  for (const language of LANGUAGES) {
    for (const [words, offset] of Object.entries(language.days))
      add(words, offset === null ? null : { unit: 'day', offset })
    for (const [words, span] of Object.entries(language.spans))
      add(words, span && { unit: span[0], offset: span[1] })
    language.weekdays.forEach((spellings, weekday) => {
      for (const name of spellings.split('|')) {
        const fill = (patterns: readonly string[], meaning: Meaning | null) => {
          for (const pattern of patterns) add(pattern.replace('*', name), meaning)
        }
        fill(language.next, { unit: 'weekday', weekday, offset: 1, find: 'in-week' })
        fill(language.last, { unit: 'weekday', weekday, offset: 0, find: 'past' })
        fill(language.coming, { unit: 'weekday', weekday, offset: 0, find: 'coming' })
        fill(language.never, null)
        // A short form alone is too often another word ("mon", "fri").
        if (language === english && name === spellings.split('|')[0])
          fill(['*'], { unit: 'weekday', weekday, offset: 0, find: 'by-tense' })
      }
    })
  }
  const index = new Map<string, Phrase[]>()
  for (const [words, meaning] of meanings) {
    const first = /^[\p{L}\p{M}]+/u.exec(words)![0]
    const phrases = index.get(first) ?? []
    phrases.push({ words, meaning })
    index.set(first, phrases)
  }
  for (const phrases of index.values()) phrases.sort((left, right) => right.words.length - left.words.length)
  return index
}

/** Units that can be counted: "three days ago". Days each, or none where the calendar decides. */
export const COUNTED_UNITS: readonly (readonly [names: string, unit: DateUnit, days: number])[] = [
  ['days|day|días|día|tagen|tag|jours|jour|dias|dia|дней|день|дня', 'day', 1],
  ['weeks|week|semanas|semana|wochen|woche|semaines|semaine|недели|неделю|недель', 'day', 7],
  ['months|month|meses|mes|monaten|monat|mois|mês|месяцев|месяца|месяц', 'month', 0],
  ['years|year|años|año|jahren|jahr|années|année|ans|an|anos|ano|года|год|лет', 'year', 0],
]

/** In spaced scripts a text that holds none of these words, and no date in figures, holds no date. */
export const DATE_WORDS: ReadonlySet<string> = new Set([
  ...[...PHRASES.values()].flat().map(({ words }) => longestWord(words)),
  ...MONTHS.keys(),
  ...COUNTED_UNITS.flatMap(([names]) => names.split('|')),
])

function longestWord(phrase: string): string {
  const words = phrase.replaceAll('’', "'").split(/[ -]/)
  return words.reduce((longest, word) => (word.length > longest.length ? word : longest))
}
