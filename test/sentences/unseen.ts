import { readFileSync } from 'node:fs'
import type { SourceMessage } from '../../packages/palimpsest/src/summarizer/index.ts'
import { extractive } from '../../packages/palimpsest/src/summarizer/index.ts'

/** A fact that a chat holds, as the head of `unseen-1.txt` writes it. */
interface Gold {
  readonly section: string
  readonly isOptional: boolean
  readonly words: readonly string[]
  readonly not: readonly string[]
  readonly replaces: string | null
}

export interface Chat {
  readonly line: string
  readonly layer: 'user' | 'scope'
  readonly golds: readonly Gold[]
  readonly known: readonly string[]
  readonly messages: readonly SourceMessage[]
}

export interface Score {
  taken: number
  right: number
  facts: number
  found: number
  goes: number
  gone: number
  readonly wrong: string[]
  readonly missed: string[]
}

export function readChats(name: string): Chat[] {
  return readFileSync(new URL(`./${name}`, import.meta.url), 'utf8')
    .split(/\r?\n/)
    .filter(line => line !== '' && !line.startsWith('#'))
    .map(readChat)
}

function readChat(line: string): Chat {
  const [, scope, gold, text] = /^(scope )?(.+?) \| (.+)$/u.exec(line)!
  const parts = text!.split(' // ')
  const known = parts.filter(part => part.startsWith('known: ')).map(part => part.slice('known: '.length))
  const messages = parts
    .filter(part => !part.startsWith('known: '))
    .map((part, index): SourceMessage => {
      const [, who = 'ann', said] = /^(?:(bot|bob): )?(.+)$/su.exec(part.replaceAll('\\n', '\n'))!
      return {
        seq: index + 1,
        role: who === 'bot' ? 'assistant' : 'user',
        sender: who === 'bot' ? null : { id: who, name: who === 'bob' ? 'Bob' : 'Ann' },
        content: said!,
        at: new Date(Date.UTC(2026, 2, 2, 10, index)),
        zone: null,
      }
    })
  const golds = gold === '-' ? [] : gold!.split(' ; ').map(readGold)
  return { line, layer: scope ? 'scope' : 'user', golds, known, messages }
}

function readGold(gold: string): Gold {
  const [what, replaces = null] = gold.split(' > ')
  const [section, ...rest] = what!.split(' ')
  const words = rest.filter(word => !word.startsWith('!'))
  return {
    section: section!.replace('?', ''),
    isOptional: section!.startsWith('?'),
    words: words.join(' ').split('+'),
    not: rest.filter(word => word.startsWith('!')).map(word => word.slice(1)),
    replaces,
  }
}

/** What is taken is right where it is one of the facts that the chat holds, and takes no line's place but that which goes. */
export async function score(chats: readonly Chat[]): Promise<Score> {
  const total: Score = { taken: 0, right: 0, facts: 0, found: 0, goes: 0, gone: 0, wrong: [], missed: [] }
  for (const chat of chats) {
    const { facts } = await extractive().extractFacts!({
      layer: chat.layer,
      subject: chat.layer === 'user' ? { id: 'ann', name: 'Ann' } : null,
      messages: chat.messages,
      sources: new Set(chat.messages.filter(each => mayFeed(chat, each)).map(({ seq }) => seq)),
      known: chat.known,
      zone: 'UTC',
    })
    const found = new Set<Gold>()
    const gone = facts.flatMap(({ replaces }) => replaces.map(at => chat.known[at]!))
    for (const { text, section, replaces } of facts) {
      const line = text.toLowerCase()
      const holds = chat.golds.filter(
        ({ words, not }) =>
          words.every(word => line.includes(word.toLowerCase())) &&
          !not.some(word => line.includes(word.toLowerCase())),
      )
      const named = holds.filter(gold => ['fact', 'ended', section].includes(gold.section))
      const isRight =
        named.length > 0 &&
        replaces.every(at =>
          chat.golds.some(gold => gold.replaces && chat.known[at]!.includes(gold.replaces)),
        )
      if (isRight && named.every(({ isOptional }) => isOptional)) continue
      total.taken += 1
      if (isRight) {
        total.right += 1
        for (const gold of holds) found.add(gold)
      } else total.wrong.push(`${section}: ${text}  ←  ${chat.line}`)
    }
    for (const gold of chat.golds.filter(({ isOptional }) => !isOptional)) {
      total.facts += 1
      if (found.has(gold)) total.found += 1
      else total.missed.push(chat.line)
      if (gold.replaces) {
        total.goes += 1
        if (gone.some(line => line.includes(gold.replaces!))) total.gone += 1
        else total.missed.push(`(stays) ${chat.line}`)
      }
    }
  }
  return total
}

/** A person's memory learns from that person alone. */
function mayFeed({ layer }: Chat, { role, sender }: SourceMessage): boolean {
  return role === 'user' && (layer === 'scope' || sender?.id === 'ann')
}

export function tell(name: string, { taken, right, facts, found, goes, gone, wrong, missed }: Score): string {
  const figures = `${name}: precision ${right}/${taken} = ${(right / taken).toFixed(3)}, recall ${found}/${facts} = ${(found / facts).toFixed(3)}, lines that go ${gone}/${goes}`
  return [figures, '', 'Wrong:', ...wrong, '', 'Missed:', ...missed].join('\n')
}
