export {
  applyCalibration,
  type Calibration,
  type Calibrations,
  calibrate,
  calibratedTokens,
  calibrationOf,
  initialCalibration,
  observeUsage,
} from './calibration.ts'
export { estimateTokens, estimateTokensInSteps } from './estimate-tokens.ts'
export { FLAT_TOKENS, MESSAGE_OVERHEAD_TOKENS } from './flat-tokens.ts'
export { measureMessage, measureMessageInSteps } from './measure-message.ts'
