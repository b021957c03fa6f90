/** Runs actions one after the other, and lets other work of the process run in between. */
export function inTurn(): <Result>(action: () => Promise<Result>) => Promise<Result> {
  let last: Promise<unknown> = Promise.resolve()
  return action => {
    const turn = last.then(() => new Promise(resolve => setImmediate(resolve))).then(action)
    last = turn.catch(() => {})
    return turn
  }
}
