import type { ReplyReport } from '@palimpsest/bot'
import { modelProblem } from './model-problem.ts'

type Ended = Pick<ReplyReport, 'outcome' | 'error'>

export function hasFailed({ outcome }: Pick<Ended, 'outcome'>): boolean {
  return outcome === 'failed' || outcome === 'undeliverable'
}

/** Why there is no whole reply, and what to do. `null`: the reply is whole, or a person stopped it. */
export function failureText(ended: Ended): string | null {
  return hasFailed(ended) ? `${modelProblem(ended.error)} Your message is kept.` : null
}

/** What a person should know about how the reply ended. `null`: nothing. */
export function endNote({ outcome }: Ended): string | null {
  switch (outcome) {
    case 'interrupted':
      return '(stopped; it is kept as far as it came)'
    case 'silent':
      return '(no reply)'
    case 'elsewhere':
      return '(answered elsewhere)'
    default:
      return null
  }
}
