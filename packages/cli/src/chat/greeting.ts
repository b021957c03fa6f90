import type { SessionInfo } from 'palimpsest/internals/session'
import { inertLine } from '../inert-text.ts'

interface Greeted {
  readonly sessionId: string
  readonly user: string | null
  readonly place: string
  readonly model: string | null
  readonly info: SessionInfo | null
}

export function greetingLines({ sessionId, user, place, model, info }: Greeted): readonly string[] {
  const whose = user === null || user === sessionId ? '' : ` as ${inertLine(user)}`
  return [
    `palimpsest chat · ${inertLine(sessionId)}${whose} · ${place}`,
    `${soFar(info)} /help lists the commands.`,
    ...(model === null ? NO_MODEL : [`model: ${inertLine(model)}`]),
  ]
}

const NO_MODEL = [
  'No model is set: questions are looked up in what was said. To set one:',
  'PALIMPSEST_MODEL=anthropic:claude-haiku-4-5 PALIMPSEST_MODEL_API_KEY=… palimpsest chat',
]

function soFar(info: SessionInfo | null): string {
  if (info === null || info.messages === 0) return 'A new chat.'
  const folded = info.messages - info.rawMessages
  const messages = info.messages === 1 ? '1 message' : `${info.messages.toLocaleString('en-US')} messages`
  return `${messages} so far${folded > 0 ? `, ${folded.toLocaleString('en-US')} of them folded` : ''}.`
}
