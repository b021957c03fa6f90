import type { ReplyReport } from '../../runtime/index.ts'
import { modelProblem } from './model-problem.ts'

type Ended = Pick<ReplyReport, 'outcome' | 'error'>

/** Why there is no whole reply, and what to do; `null`: there is one, or a person wanted it so. */
export function failureText({ outcome, error }: Ended): string | null {
  if (outcome !== 'failed' && outcome !== 'undeliverable') return null
  return `${modelProblem(error)} Your message is kept.`
}

/** What a person should know of how it ended; `null`: nothing. */
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
