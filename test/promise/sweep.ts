// `npm run promise`: the promise over generated applications, one seed after the other, or over those of a checkout. Of a failure the fewest objects are
// told that still make it fail.

import fc from 'fast-check'
import type { AnyObject } from '#objects'
import { tool, whole } from '../support/tool.ts'
import { readCorpus } from './corpus.ts'
import { keepPromise } from './keep.ts'
import { everyKind, manifests } from './kinds.ts'

const {
  from,
  seeds: count,
  repository,
  path,
} = tool('promise', 'Generated applications: nothing differs after a sync, edits are found and undone.')
  .option('--repository <folder>', 'a checkout whose objects of built-in kinds are taken instead')
  .option('--path <folder>', 'what of it', '.')
  .option('--seeds <count>', 'how many', whole(1), 20)
  .option('--from <seed>', 'the first one', whole(0), 1)
  .parse()
  .opts<{ readonly from: number; readonly seeds: number; readonly repository?: string; readonly path: string }>()

const written = repository === undefined ? undefined : await readCorpus(repository, path)
if (written !== undefined) console.log(`${path}: ${written.length} objects`)

function objectsOf(seed: number): readonly AnyObject[] {
  if (written !== undefined) return written
  const [objects = []] = fc.sample(seed % 4 === 0 ? everyKind : manifests, { seed, numRuns: 1 })
  return objects
}

async function faultsOf(objects: readonly AnyObject[], seed: number): Promise<readonly string[]> {
  try {
    return await keepPromise(objects, seed)
  } catch (error) {
    return [error instanceof Error ? (error.stack ?? error.message) : String(error)]
  }
}

/** Leaves out what is not needed to fail. Which edits are made depends on the objects, so this may find another fault. */
async function fewest(objects: readonly AnyObject[], seed: number): Promise<readonly AnyObject[]> {
  let left = objects
  for (const object of objects) {
    const without = left.filter((each) => each !== object)
    if (without.length > 0 && (await faultsOf(without, seed)).length > 0) left = without
  }
  return left
}

let failed = 0
for (let seed = from; seed < from + count; seed++) {
  const objects = objectsOf(seed)
  const faults = await faultsOf(objects, seed)
  if (faults.length === 0) continue
  failed += 1
  console.log(`seed ${seed}: FAILED (repeat with --from ${seed} --seeds 1)`)
  for (const fault of faults) console.log(`  ${fault}`)
  const least = await fewest(objects, seed)
  for (const fault of await faultsOf(least, seed)) console.log(`  with ${least.length} of ${objects.length}: ${fault}`)
  for (const object of least) console.log(`    ${JSON.stringify(object)}`)
}
console.log(`${count - failed} passed, ${failed} failed`)
process.exitCode = failed === 0 ? 0 : 1
