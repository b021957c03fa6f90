import type { MessageInput } from '../packages/palimpsest/src/index.ts'

/** Words about as frequent as in chats: a thousand of them nearly always, the others hardly ever. */
const COMMON = 1_000
const VOCABULARY = 60_000
const RARE_SHARE = 0.06
const CHARACTERS = 200
const SYLLABLES =
  'ba be bi bo bu da de di do du ka ke ki ko ku la le li lo lu ma me mi mo mu na ne ni no nu'.split(' ')
const PEOPLE = ['Ann', 'Bo', 'Chen', 'Dara']

class Random {
  #state: number

  constructor(seed: number) {
    this.#state = Math.imul(seed + 1, 2_654_435_761) >>> 0
  }

  /** From 0 to 1. */
  next(): number {
    this.#state = (Math.imul(this.#state, 1_664_525) + 1_013_904_223) >>> 0
    return (this.#state >>> 8) / 2 ** 24
  }

  /** The rank of a word. */
  rank(): number {
    if (this.next() < RARE_SHARE) return Math.floor(COMMON * (VOCABULARY / COMMON) ** this.next())
    return Math.floor(COMMON ** this.next())
  }
}

/** Common words are short. */
function wordOf(rank: number): string {
  let word = ''
  for (let rest = rank; rest > 0; rest = Math.floor(rest / SYLLABLES.length))
    word += SYLLABLES[rest % SYLLABLES.length]
  return word || 'a'
}

/** The same in every run, so that two runs measure the same. */
export function messageAt(index: number) {
  const random = new Random(index)
  let text = ''
  while (text.length < CHARACTERS) text += `${wordOf(random.rank())} `
  return {
    role: 'user',
    text: `${text.trim()}.`,
    sender: PEOPLE[index % PEOPLE.length]!,
    at: Date.UTC(2024, 0, 1) + index * 600_000,
  } as const satisfies MessageInput
}

/** Six words: four of some message, none of them among the most common, and two of any. */
export function questionAt(index: number, messages: number): string {
  const random = new Random(index + 7_000_000)
  const words = messageAt(Math.floor(random.next() * messages))
    .text.replace('.', '')
    .split(' ')
  const rare = words.filter(word => word.length > 2).slice(0, 4)
  return [...rare, wordOf(random.rank()), wordOf(random.rank())].join(' ')
}
