// `npm run sim -- [--seeds 20] [--from 1]`: tells the story under one seed after the other, each with its own trouble, twice:
// both times must take the same course, and every one must end as the run without trouble does.

import { parseArgs } from 'node:util'
import { differences } from '../contract/end-state.ts'
import { quietRun, type RunResult, troubledRun } from './mischief.ts'

const { values } = parseArgs({
  options: { seeds: { type: 'string', default: '20' }, from: { type: 'string', default: '1' } },
})
const from = Number(values.from)
const count = Number(values.seeds)
if (!Number.isInteger(from) || !Number.isInteger(count) || count < 1) {
  console.error('sim: give whole numbers: --seeds COUNT --from SEED')
  process.exit(2)
}

const describe = ({ trouble, hash, tasks }: RunResult): string =>
  `${tasks} tasks, trace ${hash}, trouble: ${trouble.length === 0 ? 'none' : trouble.join(', ')}`

async function faultsOf(seed: number, expected: readonly string[]): Promise<readonly string[]> {
  try {
    const first = await troubledRun(seed)
    const again = await troubledRun(seed)
    console.log(`seed ${seed}: ${describe(first)}`)
    const course = first.hash === again.hash ? [] : [`another course the second time: ${describe(again)}`]
    return [...course, ...differences(expected, first.end)]
  } catch (error) {
    return [error instanceof Error ? error.message : String(error)]
  }
}

const expected = (await quietRun('quiet')).end
let failed = 0
for (let seed = from; seed < from + count; seed += 1) {
  const faults = await faultsOf(seed, expected)
  if (faults.length === 0) continue
  failed += 1
  console.log(
    `seed ${seed}: FAILED (repeat with --from ${seed} --seeds 1)\n${faults.map((line) => `  ${line}`).join('\n')}`,
  )
}
console.log(`${count - failed} passed, ${failed} failed`)
process.exitCode = failed === 0 ? 0 : 1
