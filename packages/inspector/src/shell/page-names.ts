import { defineTexts } from '../language/language.ts'
import type { Route } from '../routes.ts'

export const PAGES = ['sessions', 'search', 'memory', 'settings', 'erasures'] as const
type Page = (typeof PAGES)[number]

export const usePageNames = defineTexts<Readonly<Record<Page, string>>>({
  en: {
    sessions: 'Sessions',
    search: 'Search',
    memory: 'Memory',
    settings: 'Settings',
    erasures: 'Erasure',
  },
  zh: { sessions: '会话', search: '搜索', memory: '记忆', settings: '设置', erasures: '删除' },
})

/** The title of the browser tab. It tells what the tab shows, since several may be open. */
export function usePageTitle({ path: [first = 'sessions', second] }: Route): string {
  const names = usePageNames()
  const page = PAGES.find(each => each === first)
  const name = page === 'sessions' && second !== undefined ? second : page && names[page]
  return [name, 'Palimpsest'].filter(Boolean).join(' – ')
}
