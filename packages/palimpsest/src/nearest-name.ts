/** The name that was probably meant. `null`: none is similar. */
export function nearestName(given: string, names: readonly string[]): string | null {
  const wanted = given.toLowerCase()
  let nearest: { name: string; distance: number } | null = null
  for (const name of names) {
    const distance = editDistance(wanted, name.toLowerCase())
    if (distance < (nearest?.distance ?? Number.POSITIVE_INFINITY)) nearest = { name, distance }
  }
  return nearest !== null && nearest.distance <= nearest.name.length / 2 ? nearest.name : null
}

/** How many characters have to be added, removed or changed. */
function editDistance(one: string, other: string): number {
  let above = Array.from({ length: other.length + 1 }, (_, column) => column)
  for (const [row, character] of [...one].entries()) {
    const current = [row + 1]
    for (let column = 1; column <= other.length; column += 1)
      current.push(
        Math.min(
          above[column]! + 1,
          current[column - 1]! + 1,
          above[column - 1]! + (character === other[column - 1] ? 0 : 1),
        ),
      )
    above = current
  }
  return above[other.length]!
}
