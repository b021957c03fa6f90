import { readFileSync } from 'node:fs'

const NAMES = [
  'contract',
  'prefix',
  'summarize',
  'condense',
  'memo',
  'update-memo',
  'extracts',
  'facts',
] as const
type PromptName = (typeof NAMES)[number]

export interface Prompts {
  readonly texts: Readonly<Record<PromptName, string>>
  /** Changes with any of the texts. Stored with each segment. */
  readonly version: string
}

let prompts: Prompts | null = null

/** The files are read once, when first needed. They stand beside the code, in `src` as in `dist`. */
export function readPrompts(): Prompts {
  if (prompts) return prompts
  // An import would cost every start 6 ms.
  const hash = process.getBuiltinModule('node:crypto').createHash('sha256')
  const texts = {} as Record<PromptName, string>
  for (const name of NAMES) {
    const text = readFileSync(new URL(`../prompts/${name}.md`, import.meta.url), 'utf8').trim()
    texts[name] = text
    hash.update(`${name}\0${text}\0`)
  }
  prompts = { texts, version: hash.digest('hex').slice(0, 8) }
  return prompts
}

type Task = 'summarize' | 'summarize-prefix' | 'condense' | 'update-memo' | 'facts'

export function instructionsFor(task: Task, withMemo: boolean, withExtracts = false): string {
  const { texts } = readPrompts()
  const tasks = task === 'summarize-prefix' ? [texts.prefix, texts.summarize] : [texts[task]]
  return [
    texts.contract,
    ...tasks,
    ...(withExtracts ? [texts.extracts] : []),
    ...(withMemo ? [texts.memo] : []),
  ].join('\n\n')
}
