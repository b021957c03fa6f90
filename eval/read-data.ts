import { readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { z } from 'zod'
import { PalimpsestError } from '../packages/palimpsest/src/errors.ts'
import { modelText } from '../packages/palimpsest/src/log/index.ts'
import {
  openSource,
  openTranscripts,
  readDocument,
  type Transcript,
} from '../packages/replay/src/transcript/index.ts'
import { ADVERSARIAL, NO_CATEGORY } from './categories.ts'
import type { Conversation, ConversationMessage, Question } from './conversation.ts'

export const DATA_FORMAT = `Wanted is a folder, or files, of conversations, each in two files in UTF-8:
  NAME.jsonl    one message a line:
                {"role":"user","sender":"Ann","at":"2026-03-02T09:00:00Z","externalId":"m1","text":"…"}
  NAME.qa.json  questions about it:
                [{"question":"…","answer":"…","evidence":["m1"],"category":1}]
                and, where it was said otherwise before, "superseded":["…"]`

const MESSAGES = '.jsonl'
const QUESTIONS = '.qa.json'

/** Every conversation of folders and files, in the order of their names; each once. */
export async function readData(paths: readonly string[]): Promise<readonly Conversation[]> {
  const stems = new Set<string>()
  for (const path of paths) for (const stem of await stemsOf(path)) stems.add(stem)
  const conversations: Conversation[] = []
  for (const stem of stems) conversations.push(await readConversation(stem))
  return conversations
}

/** The paths of conversations without their endings. Either of the two files stands for both. */
async function stemsOf(path: string): Promise<readonly string[]> {
  const found = await stat(path).catch(() => null)
  if (!found?.isDirectory()) return [stemOf(path)]
  const names = (await readdir(path)).filter(isData).sort()
  if (names.length === 0) throw notFound(path, `There is no ${MESSAGES} in ${path}.`)
  return names.map(name => stemOf(join(path, name)))
}

function isData(name: string): boolean {
  return name.endsWith(MESSAGES) || name.endsWith(QUESTIONS)
}

function stemOf(path: string): string {
  const ending = [MESSAGES, QUESTIONS].find(each => path.endsWith(each))
  if (ending !== undefined) return path.slice(0, -ending.length)
  throw notFound(path, `${path} is neither a folder nor a file that ends in ${MESSAGES}.`)
}

function notFound(file: string, message: string): PalimpsestError {
  return new PalimpsestError('file_not_found', `${message}\n${DATA_FORMAT}`, { file })
}

async function readConversation(stem: string): Promise<Conversation> {
  const [file, answers] = [`${stem}${MESSAGES}`, `${stem}${QUESTIONS}`]
  for (const path of [file, answers])
    if ((await stat(path).catch(() => null)) === null) throw notFound(path, `There is no file ${path}.`)
  const [transcript, ...others] = await openTranscripts(file)
  if (others.length > 0) throw invalid(file, 'holds several conversations; give each a file of its own')
  const messages = await readMessages(transcript!)
  if (messages.length === 0) throw invalid(file, 'holds no message')
  const ids = new Set(messages.map(({ externalId }) => externalId))
  const questions = await readQuestions(answers, { file, ids })
  return {
    name: stem.split(/[\\/]/).at(-1)!,
    messages,
    questions: questions.filter(({ category }) => category !== ADVERSARIAL),
  }
}

/** Without repeats. One without an id is known by its place, one without a time is of the time before it. */
async function readMessages(transcript: Transcript): Promise<ConversationMessage[]> {
  const messages = new Map<string, ConversationMessage>()
  let at = new Date(0)
  for await (const { place, message } of transcript.read()) {
    const { role, sender, content, replyTo } = message
    const externalId = message.externalId ?? place
    if (message.at !== null) at = new Date(message.at)
    if (messages.has(externalId)) continue
    const name = sender?.name ?? sender?.id ?? role
    messages.set(externalId, {
      externalId,
      role,
      sender: name,
      at: at.toISOString(),
      text: modelText(content),
      ...(typeof replyTo === 'string' && { replyTo }),
    })
  }
  return [...messages.values()]
}

const questionSchema = z.object({
  question: z.string().min(1),
  answer: z.union([z.string(), z.number()]).transform(String),
  evidence: z.array(z.string()).default([]),
  superseded: z.array(z.string().min(1)).optional(),
  category: z
    .int()
    .positive()
    .nullish()
    .transform(category => category ?? NO_CATEGORY),
})

async function readQuestions(
  path: string,
  { file, ids }: { file: string; ids: ReadonlySet<string> },
): Promise<Question[]> {
  const read = await readDocument(await openSource(path))
  if ('problem' in read) throw invalid(path, read.problem)
  if (!Array.isArray(read.value)) throw invalid(path, 'is no list of questions')
  return read.value.map((value, index) => {
    const place = `question ${index + 1}`
    const { data, error } = questionSchema.safeParse(value)
    if (error) throw invalid(path, `${place}: ${describeIssue(error.issues[0]!)}`)
    const unknown = data.category === ADVERSARIAL ? undefined : data.evidence.find(id => !ids.has(id))
    if (unknown !== undefined)
      throw invalid(path, `${place}: evidence ${JSON.stringify(unknown)} is no externalId in ${file}`)
    return data
  })
}

function describeIssue({ path, message }: z.core.$ZodIssue): string {
  return path.length === 0 ? message : `${path.join('.')}: ${message}`
}

function invalid(file: string, problem: string): PalimpsestError {
  return new PalimpsestError('invalid_transcript', `${file}: ${problem}\n${DATA_FORMAT}`, { file, problem })
}
