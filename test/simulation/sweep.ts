// `npm run sim`: one run after the other, each under its own seed with its own trouble; every one must keep all invariants
// and end as the run without trouble does, and each twentieth must take the same course a second time. A failure tells its
// seed, the fewest deeds that still make it fail, and the last writes that matter.

import { Option } from 'commander'
import { differences } from '../contract/end-state.ts'
import { tool, whole } from '../support/tool.ts'
import { type RunResult, run, type Tale, taleOf } from './run.ts'
import { shrink } from './shrink.ts'
import { timeline } from './timeline.ts'

interface Options {
  readonly seeds: number
  readonly from: number
  readonly tale?: Tale
  readonly every: number
  readonly stopAfter: number
  readonly shrink: boolean
}

const options = tool(
  'sim',
  'Stories and plays under seeds that bring trouble: every invariant holds after every write.',
)
  .option('--seeds <count>', 'how many', whole(1), 20)
  .option('--from <seed>', 'the first one', whole(0), 1)
  .addOption(new Option('--tale <tale>', 'only this one, not what the seed says').choices(['story', 'play']))
  .option('--every <seeds>', 'after how many to tell how far it is', whole(1), 50)
  .option('--stop-after <failures>', 'after how many to give up', whole(1), 10)
  .option('--no-shrink', 'do not look for the fewest deeds that still make a run fail')
  .parse()
  .opts<Options>()
/** Each such run is repeated, to see that its course depends on nothing but its seed. */
const repeatEvery = 20

interface Failure {
  /** Runs that fail in one way have one name. */
  readonly name: string
  readonly lines: readonly string[]
  readonly about: readonly string[]
  readonly at: number
}

const quiet = new Map<Tale, readonly string[]>()
async function expectedEnd(tale: Tale): Promise<readonly string[]> {
  const known = quiet.get(tale)
  if (known !== undefined) return known
  const result = await run('quiet', { tale, quiet: true })
  const failure = failureOf(result, result.end)
  if (failure !== undefined) throw new Error(`the ${tale} without trouble fails: ${failure.lines.join('\n')}`)
  quiet.set(tale, result.end)
  return result.end
}

function failureOf(result: RunResult, expected: readonly string[]): Failure | undefined {
  const { violations, error, writes } = result
  const last = writes.at(-1)?.at ?? 0
  const [first] = violations
  if (first !== undefined) {
    const lines = violations
      .slice(0, 5)
      .map(({ invariant, revision, message }) => `${invariant}, revision ${revision}: ${message}`)
    return { name: first.invariant, lines, about: first.about, at: first.at }
  }
  if (error !== undefined) return { name: 'error', lines: [error], about: mentioned(result, [error]), at: last }
  const lines = differences(expected, result.end)
  return lines.length === 0 ? undefined : { name: 'end', lines, about: mentioned(result, lines), at: last }
}

/** Objects whose names are in the lines. */
function mentioned({ writes }: RunResult, lines: readonly string[]): readonly string[] {
  const ids = new Set<string>()
  for (const { bucket, key } of writes) {
    const name = key.slice(key.indexOf('/') + 1)
    const isNamed = lines.some((line) => line.includes(` ${name} `) || line.includes(` ${name}:`))
    if (isNamed && ids.size < 5 && bucket !== 'events') ids.add(`${bucket}/${key}`)
  }
  return [...ids]
}

async function tell(seed: number, result: RunResult, failure: Failure): Promise<void> {
  const { tale } = result
  const expected = await expectedEnd(tale)
  const again = async (only: ReadonlySet<string>): Promise<Failure | undefined> =>
    failureOf(await run(seed, { tale, only }), expected)
  const deeds = result.deeds.map(({ id }) => id)
  const needed = options.shrink
    ? await shrink(deeds, async (only) => (await again(only))?.name === failure.name)
    : deeds
  const least = await run(seed, { tale, only: new Set(needed) })
  const told = failureOf(least, expected) ?? failure
  console.log(`seed ${seed} (${tale}): FAILED (repeat with --from ${seed} --seeds 1 --tale ${tale})`)
  for (const line of told.lines) console.log(`  ${line}`)
  console.log(
    `  ${needed.length} of ${deeds.length} deeds are needed${needed.length > 12 ? '' : `: ${needed.join('; ') || 'none'}`}`,
  )
  for (const line of timeline(least, told.about, told.at)) console.log(`    ${line}`)
}

const startedAt = process.hrtime.bigint()
const seconds = (): number => Number(process.hrtime.bigint() - startedAt) / 1e9
const failures = new Map<string, number[]>()
const sums = { passed: 0, failed: 0, tasks: 0, writes: 0, deeds: 0, virtualMs: 0 }

async function one(seed: number): Promise<void> {
  const tale = options.tale ?? taleOf(seed)
  const result = await run(seed, { tale })
  sums.tasks += result.tasks
  sums.writes += result.writes.length
  sums.deeds += result.deeds.length
  sums.virtualMs += result.virtualMs
  let failure = failureOf(result, await expectedEnd(tale))
  if (failure === undefined && seed % repeatEvery === 0) {
    const again = await run(seed, { tale })
    if (again.hash !== result.hash)
      failure = { name: 'course', lines: ['takes another course the second time'], about: [], at: 0 }
  }
  if (failure === undefined) {
    sums.passed += 1
    return
  }
  sums.failed += 1
  failures.set(failure.name, [...(failures.get(failure.name) ?? []), seed])
  await tell(seed, result, failure)
}

const { from, seeds, every, stopAfter } = options
for (let seed = from; seed < from + seeds && sums.failed < stopAfter; seed += 1) {
  await one(seed)
  const done = seed - from + 1
  if (done % every === 0) {
    console.log(`${done} of ${seeds} seeds, ${sums.failed} failed, ${(seconds() / done).toFixed(2)} s each`)
  }
}
const told = sums.passed + sums.failed
for (const [name, failed] of failures) console.log(`failed by ${name}: seeds ${failed.join(', ')}`)
console.log(
  `${(sums.virtualMs / 3_600_000).toFixed(1)} h of cluster time, ${sums.writes} writes, ${sums.deeds} deeds of mischief, ` +
    `${sums.tasks} tasks in ${seconds().toFixed(0)} s (${(seconds() / told).toFixed(2)} s a seed)`,
)
console.log(`${sums.passed} passed, ${sums.failed} failed`)
process.exitCode = sums.failed === 0 ? 0 : 1
