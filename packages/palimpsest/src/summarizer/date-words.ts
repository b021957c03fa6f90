/**
 * The words for days, as data. A phrase stands for a unit, and for how many of these units away from now.
 * `null` marks a phrase that only looks like a day ("every Friday", "por la mañana"). `unclear` marks a
 * phrase that means a day but does not tell which one ("the Friday after next").
 */

export type DateUnit = 'day' | 'week' | 'weekend' | 'month' | 'year'

/**
 * How to find the weekday or the weekend that a phrase names. `in-week`: in the week that `offset` names.
 * `coming` and `past`: the nearest one after or before today. `this`, `next` and `last`: as people may mean
 * the word; they do not always mean the same day. `by-tense`: the tense of the clause decides.
 */
type Find = 'in-week' | 'coming' | 'past' | 'this' | 'next' | 'last' | 'by-tense'

export type Meaning =
  | { readonly unit: 'day' | 'month' | 'year'; readonly offset: number }
  /**
   * `startsOnMonday`: the week begins on Monday wherever the language is spoken. In other languages, a Sunday
   * may lie in one week or in the other.
   */
  | { readonly unit: 'week'; readonly offset: number; readonly startsOnMonday?: boolean }
  | { readonly unit: 'weekend'; readonly offset: number; readonly find: Find }
  /** `weekday`: 0 for Monday to 6 for Sunday. `offset`: in weeks. */
  | { readonly unit: 'weekday'; readonly offset: number; readonly weekday: number; readonly find: Find }
  | { readonly unit: 'unclear' }

const UNCLEAR: Meaning = { unit: 'unclear' }

interface Language {
  readonly days: Readonly<Record<string, number | null>>
  readonly spans: Readonly<Record<string, readonly [unit: DateUnit, offset: number, find?: Find] | null>>
  /** Phrases that mean a day or days, but do not tell which. */
  readonly unclear?: readonly string[]
  /** Monday first. `|` stands between the spellings of one name. */
  readonly weekdays: readonly string[]
  /** Phrases in which `*` stands for the weekday. */
  readonly patterns: Readonly<Partial<Record<Find, readonly string[]>>>
  /** `weeks`: how many weeks after the coming weekday. */
  readonly later?: readonly (readonly [pattern: string, weeks: number])[]
  readonly unclearPatterns?: readonly string[]
  /** Phrases that hold a weekday, but mean no day that the conversation is about. */
  readonly never: readonly string[]
  readonly startsOnMonday: boolean
  readonly months: readonly string[]
}

const english: Language = {
  days: {
    today: 0,
    tonight: 0,
    '2nite': 0,
    'this morning': 0,
    'this afternoon': 0,
    'this evening': 0,
    tomorrow: 1,
    ...{ tomorow: 1, tommorow: 1, tommorrow: 1, tomorro: 1, tmrw: 1, tmr: 1, tmrow: 1, tomoz: 1 },
    'day after tomorrow': 2,
    yesterday: -1,
    ...{ yday: -1, yesteday: -1, yesterda: -1, ystrday: -1 },
    'last night': -1,
    'day before yesterday': -2,
    'the other day': null,
    'week from today': 7,
    'week from tomorrow': 8,
    'week tomorrow': 8,
    'tomorrow week': 8,
    'tomorrow never dies': null,
    'no tomorrow': null,
  },
  spans: {
    'this week': ['week', 0],
    'next week': ['week', 1],
    ...{ 'nxt week': ['week', 1], 'next wk': ['week', 1], 'last wk': ['week', -1], 'this wk': ['week', 0] },
    'last week': ['week', -1],
    'week after next': ['week', 2],
    'week before last': ['week', -2],
    'this weekend': ['weekend', 0, 'this'],
    'next weekend': ['weekend', 1, 'next'],
    'last weekend': ['weekend', -1, 'last'],
    'this coming weekend': ['weekend', 0, 'coming'],
    'coming weekend': ['weekend', 0, 'coming'],
    'this past weekend': ['weekend', 0, 'past'],
    'past weekend': ['weekend', 0, 'past'],
    'the weekend': ['weekend', 0, 'by-tense'],
    weekend: ['weekend', 0, 'by-tense'],
    'this month': ['month', 0],
    'next month': ['month', 1],
    'last month': ['month', -1],
    'month after next': ['month', 2],
    'month before last': ['month', -2],
    'this year': ['year', 0],
    'next year': ['year', 1],
    'last year': ['year', -1],
    'year before last': ['year', -2],
    ...{ 'a weekend': null, 'any weekend': null, 'some weekend': null, 'holiday weekend': null },
    'every weekend': null,
    'each weekend': null,
    'most weekends': null,
  },
  unclear: [
    ...['past week', 'this past week', 'past month', 'this past month', 'past year', 'this past year'],
    ...['weekend after next', 'weekend before last', 'weeks from today', 'weeks from tomorrow'],
    ...['this coming week', 'coming week', 'the other weekend', 'following weekend'],
  ],
  weekdays: [
    'monday|munday|mondy',
    'tuesday|tues|tusday|tuseday|teusday',
    'wednesday|weds|wensday|wednsday|wedensday|wednesdy',
    'thursday|thurs|thur|thurday|thrusday|thursdy',
    'friday|fri|firday|fryday',
    'saturday|saterday|saturdy|satuday|staurday|satrday',
    'sunday|sundy|suday',
  ],
  patterns: {
    next: ['next *', 'nxt *'],
    last: ['last *'],
    this: ['this *'],
    // A bare "coming *" is left out: it also stands in "who is coming Saturday".
    coming: ['the coming *', 'this coming *', 'upcoming *', 'this upcoming *'],
    past: ['past *', 'this past *'],
    'by-tense': ['*'],
  },
  later: [
    ['week from *', 1],
    ['week from this *', 1],
    ['week from this coming *', 1],
    ['two weeks from *', 2],
    ['2 weeks from *', 2],
    ['two weeks from this *', 2],
    ['three weeks from *', 3],
    ['3 weeks from *', 3],
    ['* week', 1],
    ['a week on *', 1],
  ],
  unclearPatterns: [
    ...['* after next', '* before last', '* in a week', '* fortnight', 'week last *', 'weeks from *'],
    ...['the following *', 'following *', 'the previous *', 'the *', 'that *', 'week ago *', 'week ago on *'],
    ...['week before *', 'week after *', 'day before *', 'day after *', 'weeks after *', 'weeks before *'],
    ...['days before *', 'days after *', 'month from *', 'the next *', 'the last *', 'first *', 'second *'],
    ...['third *', 'fourth *', 'last * of', 'last * in', 'last * before', 'next * after'],
    ...[
      'weeks last *',
      'weeks ago *',
      'weeks ago on *',
      'today is *',
      "today's *",
      'today was *',
      'is today *',
      "isn't today *",
    ],
  ],
  never: [
    ...[
      'every *',
      'each *',
      'most *',
      'any *',
      'every other *',
      'every single *',
      'every second *',
      'some *',
    ],
    ...['a *', 'an *', 'one *', 'another *', 'alternate *', 'happy *', 'no *', 'my *', 'your *', 'our *'],
    ...[
      'black *',
      'good *',
      'cyber *',
      'easter *',
      'ash *',
      'palm *',
      'casual *',
      'taco *',
      'fat *',
      'shrove *',
    ],
    ...[
      'holy *',
      'maundy *',
      'throwback *',
      'bowl *',
      'bloody *',
      'freaky *',
      'giving *',
      'whit *',
      'manic *',
    ],
    ...['blue *', 'man *', 'girl *', 'st *', 'ruby *', 'mardi *', 'small business *', 'super *', 'god its *'],
    ...[
      '* times',
      '* roast',
      '* school',
      '* prayers',
      '* blues',
      '* addams',
      '* night live',
      '* night lights',
    ],
    ...[
      '* mornings',
      '* nights',
      '* evenings',
      '* afternoons',
      '* the 13th',
      "* i'm in love",
      '* afternoon league',
    ],
    ...[
      'monday to *',
      'monday through *',
      'monday thru *',
      'mon to *',
      'monday till *',
      '* morning quarterback',
    ],
    ...[
      '* again',
      '* crew',
      '* feeling',
      '* feels',
      '* vibes',
      '* mood',
      '* motivation',
      '* night after night',
    ],
  ],
  startsOnMonday: false,
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

/**
 * These names are so short that they are other words as well. They count only beside words that make them a
 * day.
 */
const SHORT_WEEKDAYS: readonly (readonly [name: string, weekday: number])[] = [
  ['mon', 0],
  ['tue', 1],
  ['wed', 2],
  ['thu', 3],
  ['sat', 5],
  ['sun', 6],
]
const SHORT_PATTERNS: Readonly<Partial<Record<Find, readonly string[]>>> = {
  'by-tense': ['on *', '* morning', '* afternoon', '* evening', '* night', '* nite', '* arvo'],
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
    ...{ 'cada mañana': null, 'una mañana': null, 'de mañana': null, 'otra mañana': null },
  },
  spans: {
    'esta semana': ['week', 0],
    'próxima semana': ['week', 1],
    'semana que viene': ['week', 1],
    'semana pasada': ['week', -1],
    'este fin de semana': ['weekend', 0, 'this'],
    'próximo mes': ['month', 1],
    'mes que viene': ['month', 1],
    'mes pasado': ['month', -1],
    'próximo año': ['year', 1],
    'año que viene': ['year', 1],
    'año pasado': ['year', -1],
  },
  weekdays: ['lunes', 'martes', 'miércoles', 'jueves', 'viernes', 'sábado', 'domingo'],
  patterns: { next: ['* que viene', 'próximo *'], last: ['* pasado', 'pasado *'] },
  never: ['cada *'],
  startsOnMonday: true,
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
    ...{ 'guten morgen': null, 'am morgen': null, 'jeden morgen': null, 'diesen morgen': null },
    ...{ 'der morgen': null, 'den morgen': null, 'morgen zusammen': null, 'nächsten morgen': null },
    ...{ 'montag morgen': null, 'dienstag morgen': null, 'mittwoch morgen': null, 'donnerstag morgen': null },
    ...{ 'freitag morgen': null, 'samstag morgen': null, 'sonntag morgen': null, 'vorgestern morgen': -2 },
  },
  spans: {
    'diese woche': ['week', 0],
    'dieser woche': ['week', 0],
    'nächste woche': ['week', 1],
    'nächster woche': ['week', 1],
    'letzte woche': ['week', -1],
    'letzter woche': ['week', -1],
    'dieses wochenende': ['weekend', 0, 'this'],
    'nächstes wochenende': ['weekend', 1, 'next'],
    'letztes wochenende': ['weekend', -1, 'last'],
    'nächsten monat': ['month', 1],
    'letzten monat': ['month', -1],
    'nächstes jahr': ['year', 1],
    'letztes jahr': ['year', -1],
  },
  weekdays: ['montag', 'dienstag', 'mittwoch', 'donnerstag', 'freitag', 'samstag|sonnabend', 'sonntag'],
  patterns: { next: ['nächsten *'], last: ['letzten *'], coming: ['kommenden *'], past: ['vergangenen *'] },
  never: ['jeden *'],
  startsOnMonday: true,
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
    // "hier" alone is left out: in German it means "here".
    ...{ 'hier soir': -1, 'hier matin': -1, "d'hier": -1, 'hier après-midi': -1 },
    'avant-hier': -2,
  },
  spans: {
    'cette semaine': ['week', 0],
    'semaine prochaine': ['week', 1],
    'semaine dernière': ['week', -1],
    'ce week-end': ['weekend', 0, 'this'],
    'week-end dernier': ['weekend', -1, 'last'],
    'week-end prochain': ['weekend', 1, 'next'],
    'mois prochain': ['month', 1],
    'mois dernier': ['month', -1],
    'année prochaine': ['year', 1],
    'an prochain': ['year', 1],
    'année dernière': ['year', -1],
    'an dernier': ['year', -1],
  },
  weekdays: ['lundi', 'mardi', 'mercredi', 'jeudi', 'vendredi', 'samedi', 'dimanche'],
  patterns: { next: ['* prochain'], last: ['* dernier'] },
  never: ['le *', 'chaque *'],
  startsOnMonday: true,
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
  patterns: { next: ['próxima *', 'próximo *'], last: ['* passada', '* passado'] },
  never: [],
  startsOnMonday: true,
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
  patterns: {},
  never: [],
  startsOnMonday: true,
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
  patterns: { last: ['прошлый *', 'прошлую *'] },
  never: [],
  startsOnMonday: true,
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
  /** `null`: these words are no date, and no date stands inside them. */
  readonly meaning: Meaning | null
  /** The tense of the clause can tell more about the day. */
  readonly isEnglish: boolean
}

/** Phrases by their first word; the longest phrase first. */
export const PHRASES: ReadonlyMap<string, readonly Phrase[]> = indexPhrases()

/** Month names in lower case, with their numbers from 1. */
export const MONTHS: ReadonlyMap<string, number> = new Map(
  LANGUAGES.flatMap(({ months }) =>
    months.flatMap((spellings, index) => spellings.split('|').map(name => [name, index + 1] as const)),
  ),
)

function indexPhrases(): Map<string, Phrase[]> {
  const found = new Map<string, Phrase>()
  let isEnglish = true
  const add = (words: string, meaning: Meaning | null) => {
    if (!found.has(words)) found.set(words, { words, meaning, isEnglish })
  }
  for (const language of LANGUAGES) {
    const { startsOnMonday } = language
    isEnglish = language === english
    for (const [words, offset] of Object.entries(language.days))
      add(words, offset === null ? null : { unit: 'day', offset })
    for (const [words, span] of Object.entries(language.spans))
      add(words, span && spanMeaning(span, startsOnMonday))
    for (const words of language.unclear ?? []) add(words, UNCLEAR)
    language.weekdays.forEach((spellings, weekday) => {
      for (const name of spellings.split('|')) {
        const fill = (patterns: readonly string[], meaning: Meaning | null) => {
          for (const pattern of patterns) add(pattern.replace('*', name), meaning)
        }
        fill(language.never, null)
        fill(language.unclearPatterns ?? [], UNCLEAR)
        for (const [pattern, offset] of language.later ?? [])
          fill([pattern], { unit: 'weekday', weekday, offset, find: 'coming' })
        for (const [find, patterns] of Object.entries(language.patterns) as [Find, readonly string[]][])
          fill(patterns, { unit: 'weekday', weekday, offset: 0, find })
      }
    })
  }
  isEnglish = true
  for (const [name, weekday] of SHORT_WEEKDAYS)
    for (const [find, patterns] of Object.entries(SHORT_PATTERNS) as [Find, readonly string[]][])
      for (const pattern of patterns)
        add(pattern.replace('*', name), { unit: 'weekday', weekday, offset: 0, find })
  const index = new Map<string, Phrase[]>()
  for (const phrase of found.values()) {
    const { words } = phrase
    const first = /^[\p{L}\p{M}\d]+/u.exec(words)![0]
    const phrases = index.get(first) ?? []
    phrases.push(phrase)
    index.set(first, phrases)
  }
  for (const phrases of index.values()) phrases.sort((left, right) => right.words.length - left.words.length)
  return index
}

function spanMeaning(
  [unit, offset, find]: readonly [DateUnit, number, Find?],
  startsOnMonday: boolean,
): Meaning {
  if (unit === 'week') return { unit, offset, startsOnMonday }
  return unit === 'weekend' ? { unit, offset, find: find ?? 'in-week' } : { unit, offset }
}

/**
 * Units that can be counted ("three days ago"). `days`: the length of one unit; 0 where the calendar decides.
 */
export const COUNTED_UNITS: readonly (readonly [names: string, unit: DateUnit, days: number])[] = [
  ['days|day|días|día|tagen|tag|jours|jour|dias|dia|дней|день|дня', 'day', 1],
  ['weeks|week|semanas|semana|wochen|woche|semaines|semaine|недели|неделю|недель', 'day', 7],
  ['months|month|meses|mes|monaten|monat|mois|mês|месяцев|месяца|месяц', 'month', 0],
  ['years|year|años|año|jahren|jahr|années|année|ans|an|anos|ano|года|год|лет', 'year', 0],
]

/** A text in a script with spaces holds no date if it holds none of these words and no date in figures. */
export const DATE_WORDS: ReadonlySet<string> = new Set([
  ...[...PHRASES.values()].flat().map(({ words }) => longestWord(words)),
  ...MONTHS.keys(),
  ...COUNTED_UNITS.flatMap(([names]) => names.split('|')),
])

function longestWord(phrase: string): string {
  const words = phrase.replaceAll('’', "'").split(/[ -]/)
  return words.reduce((longest, word) => (word.length > longest.length ? word : longest))
}
