/** The usual range of a number. The field beside the slider takes any number. */
export const SLIDERS: Readonly<
  Record<string, { readonly min: number; readonly max: number; readonly step: number }>
> = {
  fullContextTurns: { min: 1, max: 20, step: 1 },
  cachedContextTurns: { min: 1, max: 20, step: 1 },
  lowWater: { min: 0.05, max: 0.95, step: 0.05 },
  threshold: { min: 1, max: 100, step: 1 },
  keepLast: { min: 0, max: 100, step: 1 },
  contextSize: { min: 2, max: 200, step: 1 },
  tailKeepSize: { min: 1, max: 150, step: 1 },
  compressionWindowSize: { min: 1, max: 100, step: 1 },
  compressionHardLimit: { min: 1, max: 150, step: 1 },
}
