import { inertLine } from './inert-line.ts'
import type { Language } from './language.ts'
import { listSections } from './sections.ts'

type ChatKind = 'private' | 'group' | 'agent'

const CHAT = {
  en: {
    title: 'Chat memory',
    headings: { basics: 'Basic information', about: 'About this conversation', history: 'History' },
    labels: { kind: 'Kind', with: 'With', firstContact: 'First contact' },
    kinds: { private: 'private', group: 'group', agent: 'agent' },
  },
  zh: {
    title: '聊天记忆',
    headings: { basics: '基本信息', about: '关于此对话', history: '历史摘要' },
    labels: { kind: '类型', with: '对话对象', firstContact: '首次交互' },
    kinds: { private: '私聊', group: '群聊', agent: '智能体' },
  },
} as const

const USER = {
  en: { title: 'User memory', headings: { profile: 'Profile', preferences: 'Preferences' } },
  zh: { title: '用户记忆', headings: { profile: '个人资料', preferences: '偏好' } },
} as const

const SCOPE = {
  en: {
    title: 'Shared memory',
    headings: { history: 'History', plans: 'Plans', documents: 'Documents' },
  },
  zh: { title: '共享记忆', headings: { history: '历史', plans: '计划', documents: '文档' } },
} as const

/** Each section's heading in both languages, for `findHeading`: a document keeps the one that it began with. */
export const ALL_HEADINGS = {
  chat: {
    basics: [CHAT.en.headings.basics, CHAT.zh.headings.basics],
    about: [CHAT.en.headings.about, CHAT.zh.headings.about],
    history: [CHAT.en.headings.history, CHAT.zh.headings.history],
  },
  user: {
    profile: [USER.en.headings.profile, USER.zh.headings.profile],
    preferences: [USER.en.headings.preferences, USER.zh.headings.preferences],
  },
  scope: {
    history: [SCOPE.en.headings.history, SCOPE.zh.headings.history],
    plans: [SCOPE.en.headings.plans, SCOPE.zh.headings.plans],
    documents: [SCOPE.en.headings.documents, SCOPE.zh.headings.documents],
  },
} as const

export interface ChatBasics {
  readonly kind: ChatKind
  /** A name; `null`: there is none to tell. */
  readonly with: string | null
  /** `YYYY-MM-DD`. */
  readonly firstContact: string
  readonly language: Language
}

export function chatTemplate({ kind, with: partner, firstContact, language }: ChatBasics): string {
  const { title, headings, labels, kinds } = CHAT[language]
  const name = inertLine(partner ?? '')
  const basics = [
    `- ${labels.kind}: ${kinds[kind]}`,
    ...(name === '' ? [] : [`- ${labels.with}: ${name}`]),
    `- ${labels.firstContact}: ${firstContact}`,
  ]
  return documentOf(title, [[headings.basics, ...basics], [headings.about], [headings.history]])
}

export function userTemplate(language: Language): string {
  const { title, headings } = USER[language]
  return documentOf(title, [[headings.profile], [headings.preferences]])
}

export function scopeTemplate(language: Language): string {
  const { title, headings } = SCOPE[language]
  return documentOf(title, [[headings.history], [headings.plans], [headings.documents]])
}

/** Each section: its heading, and the lines under it. */
function documentOf(title: string, sections: readonly (readonly string[])[]): string {
  const parts = sections.map(([heading, ...lines]) => [`## ${heading}`, ...lines].join('\n'))
  return `${[`# ${title}`, ...parts].join('\n\n')}\n`
}

/** Of a chat memory. */
export function headings(language: Language): {
  readonly basics: string
  readonly about: string
  readonly history: string
} {
  return CHAT[language].headings
}

export function userSection(name: 'profile' | 'preferences', language: Language): string {
  return USER[language].headings[name]
}

export function scopeSection(name: 'history' | 'plans' | 'documents', language: Language): string {
  return SCOPE[language].headings[name]
}

/** The first of the names that is a section `## …` of the document; `null`: none is. */
export function findHeading(content: string, names: readonly string[]): string | null {
  const there = new Set(
    listSections(content)
      .filter(({ level }) => level === 2)
      .map(({ heading }) => heading),
  )
  return names.find(name => there.has(name)) ?? null
}
