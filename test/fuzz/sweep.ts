// `npm run fuzz`: odd requests to a server, each kind of fault told once.

import { tool, whole } from '../support/tool.ts'
import { fuzz, report } from './fuzz.ts'

const { requests, from: seed } = tool(
  'fuzz',
  'Odd requests to a server: no answer is an internal error, what was stored can be written back.',
)
  .option('--requests <count>', 'how many', whole(1), 20_000)
  .option('--from <seed>', 'what they are drawn from', whole(0), 1)
  .parse()
  .opts<{ readonly requests: number; readonly from: number }>()
const faults = await fuzz({ seed, requests })
for (const text of report(faults)) console.log(`${text}\n`)
console.log(`${requests} requests, ${report(faults).length} kinds of faults`)
process.exitCode = faults.length === 0 ? 0 : 1
