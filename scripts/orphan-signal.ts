const LOOK_MS = 500

/**
 * npm runs a script in a shell, and there are shells that die of a signal and do not pass it on: whoever ends npm would
 * leave the script running, with its port. So a script of npm's looks whether its parent is still there.
 */
export function orphanSignal(): AbortSignal {
  const controller = new AbortController()
  if (process.env['npm_lifecycle_event'] === undefined) return controller.signal
  const parent = process.ppid
  const timer = setInterval(() => {
    if (process.ppid === parent) return
    clearInterval(timer)
    controller.abort()
  }, LOOK_MS)
  timer.unref()
  return controller.signal
}
