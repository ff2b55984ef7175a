// `npm run fuzz -- [--requests 20000] [--from 1]`: odd requests to a server, each kind of fault told once.

import { parseArgs } from 'node:util'
import { fuzz, report } from './fuzz.ts'

const { values } = parseArgs({
  options: { requests: { type: 'string', default: '20000' }, from: { type: 'string', default: '1' } },
})
const [requests, seed] = [values.requests, values.from].map(Number)
if (!Number.isInteger(requests) || !Number.isInteger(seed) || !requests || requests < 1 || seed === undefined) {
  console.error('fuzz: give whole numbers: --requests COUNT --from SEED')
  process.exit(2)
}
const faults = await fuzz({ seed, requests })
for (const text of report(faults)) console.log(`${text}\n`)
console.log(`${requests} requests, ${report(faults).length} kinds of faults`)
process.exitCode = faults.length === 0 ? 0 : 1
