/** How a model's own count relates to the estimate: reported ≈ ratio × estimated. Plain JSON, kept per model. */
export type Calibration = { readonly ratio: number; readonly samples: number }

export const initialCalibration: Calibration = { ratio: 1, samples: 0 }

const MINIMUM_TOKENS = 50
const LOWEST_RATIO = 0.5
const HIGHEST_RATIO = 2
const SETTLED_SAMPLES = 3
const LARGEST_DEVIATION = 0.3
const SMALLEST_SHARE = 0.1

/**
 * Takes in one usage report; the same calibration comes back when the report is of no use.
 *
 * The first samples count equally, later ones a tenth each, so that the ratio follows a model that changes.
 * A report outside [0.5, 2] is about something else than the text that was estimated (an image, a cached
 * prefix left out, another request), and one about a few tokens is mostly overhead: both are dropped. After
 * three samples, each pulls as though it deviated by no more than 30%. One odd report then moves the ratio by
 * 7.5% at most, and by 3% from the tenth on, yet a change that persists is followed to its end, and no count of
 * rejected samples has to be kept.
 */
export function calibrate(
  calibration: Calibration,
  { estimated, reported }: { estimated: number; reported: number },
): Calibration {
  if (!(estimated >= MINIMUM_TOKENS) || !(reported > 0)) return calibration
  const observed = reported / estimated
  // Infinity and NaN fail this comparison, too.
  if (!(observed >= LOWEST_RATIO && observed <= HIGHEST_RATIO)) return calibration

  const { ratio, samples } = calibration
  const deviation = samples < SETTLED_SAMPLES ? Number.POSITIVE_INFINITY : LARGEST_DEVIATION * ratio
  const damped = Math.min(Math.max(observed, ratio - deviation), ratio + deviation)
  const share = Math.max(1 / (samples + 1), SMALLEST_SHARE)
  return { ratio: ratio + share * (damped - ratio), samples: samples + 1 }
}

/** Rounds up: running out of context costs more than a token of room left over. */
export function applyCalibration(calibration: Calibration, estimated: number): number {
  // 100 × 1.1 is a hair above 110 in floating point, which is no reason for a 111th token.
  return Math.max(0, Math.ceil(estimated * calibration.ratio - 1e-6))
}

/** One for each model, by its name, since each has a tokenizer of its own. */
export type Calibrations = Readonly<Record<string, Calibration>>

/** For a model that has reported nothing yet, the estimate as it is. A model may be called `constructor`. */
export function calibrationOf(calibrations: Calibrations, model: string): Calibration {
  return Object.hasOwn(calibrations, model) ? calibrations[model]! : initialCalibration
}

export function observeUsage(
  calibrations: Calibrations,
  model: string,
  usage: { estimated: number; reported: number },
): Calibrations {
  return { ...calibrations, [model]: calibrate(calibrationOf(calibrations, model), usage) }
}

export function calibratedTokens(calibrations: Calibrations, model: string, estimated: number): number {
  return applyCalibration(calibrationOf(calibrations, model), estimated)
}
