/**
 * Loads the code that draws, once there is something to draw. That code formats numbers in the browser's
 * language as soon as it is loaded. It fails if the browser names no valid language: some browsers say
 * `en-US@posix`.
 */
export async function loadChart(): Promise<typeof import('./draw-chart.ts')> {
  if (!isLanguage(navigator.language))
    Object.defineProperty(navigator, 'language', { value: 'en', configurable: true })
  return await import('./draw-chart.ts')
}

function isLanguage(tag: string): boolean {
  try {
    return Intl.getCanonicalLocales(tag).length > 0
  } catch {
    return false
  }
}
