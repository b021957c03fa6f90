/** Aborted by the first Ctrl-C or SIGTERM. A second one ends the process at once. */
export function stopSignal(): { readonly signal: AbortSignal; end(): void } {
  const controller = new AbortController()
  const stop = () => {
    end()
    controller.abort()
  }
  const end = () => {
    process.off('SIGINT', stop)
    process.off('SIGTERM', stop)
  }
  process.on('SIGINT', stop)
  process.on('SIGTERM', stop)
  return { signal: controller.signal, end }
}
