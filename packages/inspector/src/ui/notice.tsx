import type { ComponentChildren } from 'preact'
import { ApiError } from '../api/api-error.ts'
import { defineTexts } from '../language/language.ts'
import { Button } from './button.tsx'

const useTexts = defineTexts({
  en: {
    unreachable: 'The server does not answer. Is it still running?',
    refused: 'This key does not allow that.',
    keyNeeded: 'The server wants a key.',
    retry: 'Try again',
  },
  zh: {
    unreachable: '服务器没有响应。它还在运行吗？',
    refused: '此密钥不允许这样做。',
    keyNeeded: '服务器需要密钥。',
    retry: '重试',
  },
})

/** Tells what went wrong and, if it may help, offers to ask again. */
export function ErrorNotice({ error, onRetry }: { readonly error: unknown; readonly onRetry?: () => void }) {
  const texts = useTexts()
  return (
    <div class="notice error" role="alert">
      <p>{describe(error, texts)}</p>
      {onRetry && <Button onClick={onRetry}>{texts.retry}</Button>}
    </div>
  )
}

function describe(error: unknown, texts: ReturnType<typeof useTexts>): string {
  if (!(error instanceof ApiError)) return String(error)
  if (error.code === 'unreachable') return texts.unreachable
  if (error.status === 401) return texts.keyNeeded
  if (error.status === 403 && error.code !== 'host_not_allowed') return `${texts.refused} ${error.message}`
  return error.message
}

export function Empty({ children }: { readonly children: ComponentChildren }) {
  return <p class="empty">{children}</p>
}
