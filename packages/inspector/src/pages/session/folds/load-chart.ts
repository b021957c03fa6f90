/**
 * What draws, loaded when there is something to draw. It writes numbers in the browser's language as soon as it is
 * loaded, and fails where that is no language: some browsers call theirs `en-US@posix`.
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
