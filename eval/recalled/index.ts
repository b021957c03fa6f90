export { measureRecalled, type RecalledReport } from './measure-recalled.ts'
