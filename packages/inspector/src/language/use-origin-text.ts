import type { Origin } from '../api/types.ts'
import { defineTexts, useFormats } from './language.ts'

type Heading = (from: string) => string

/** The texts that a model is shown. `from` is the speaker, or the name of a link; empty: it is not known. */
const useTexts = defineTexts<Record<Origin['kind'], Heading>>({
  en: {
    forward: from => (from === '' ? 'forwarded' : `forwarded from ${from}`),
    quote: from => (from === '' ? 'quoting' : `quoting ${from}`),
    reply: from => (from === '' ? 'answering' : `answering ${from}`),
    link: from => (from === '' ? 'link' : `link of “${from}”`),
  },
  zh: {
    forward: from => (from === '' ? '转发' : `转发自 ${from}`),
    quote: from => (from === '' ? '引用' : `引用 ${from}`),
    reply: from => (from === '' ? '回复' : `回复 ${from}`),
    link: from => (from === '' ? '链接' : `“${from}”的链接`),
  },
})

/** Tells the source of words that the sender of a message only passes on. */
export function useOriginText(): (origin: Origin) => string {
  const texts = useTexts()
  const { day } = useFormats()
  return ({ kind, from: { id = '', name = '' } = {}, chat = '', at }) => {
    if (kind === 'link') return texts.link(name)
    const who = name === '' || id === '' || name === id ? name || id : `${name} (${id})`
    const heading = texts[kind]([who, chat].filter(Boolean).join(', '))
    return at === undefined ? heading : `${heading}, ${day(at)}`
  }
}
