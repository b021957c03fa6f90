// Imports a module, or none, and says how many microseconds of processor time the process took: `import.js [MODULE]`.
import { writeSync } from 'node:fs'

const [module] = process.argv.slice(2)
if (module !== undefined) await import(module)
const { user, system } = process.cpuUsage()
writeSync(1, String(user + system))
