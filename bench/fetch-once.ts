// The measured process of the bench `fetch`: clones a URL into a folder of mirrors, and tells its parent what that took.

import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { monitorEventLoopDelay } from 'node:perf_hooks'
import { createSources } from '#gitops/source'
import { systemWorld } from '#world'

export interface FetchFigures {
  readonly seconds: number
  readonly startMiB: number
  readonly peakMiB: number
  /** Longest time in which nothing else ran: also because the machine did other things. */
  readonly stallMs: number
  /** Longest stretch of work between two looks at the clock, in CPU time of the main thread; 0 where that is not told. */
  readonly workMs: number
  readonly packMiB: number
}

const mib = 1024 * 1024
const resolutionMs = 1
const [url = '', mirrors = ''] = process.argv.slice(2)

const source = createSources({ world: systemWorld({ logLevel: 'error' }), directory: mirrors }).repository(url)
const startMiB = Math.round(process.memoryUsage.rss() / mib)
let workMs = 0
let lookedAt = threadMs()
const looking = setInterval(() => {
  const now = threadMs()
  workMs = Math.max(workMs, now - lookedAt)
  lookedAt = now
}, resolutionMs)
const delays = monitorEventLoopDelay({ resolution: resolutionMs })
delays.enable()
const began = performance.now()
await source.refresh()
const seconds = (performance.now() - began) / 1000
delays.disable()
clearInterval(looking)
if (source.state.trouble !== undefined) throw new Error(source.state.trouble.message)
await source.snapshot('')
const packMiB = readdirSync(mirrors, { recursive: true, encoding: 'utf8' })
  .map((name) => statSync(join(mirrors, name)))
  .reduce((sum, { size }) => sum + size / mib, 0)
const figures: FetchFigures = {
  seconds,
  startMiB,
  peakMiB: Math.round(process.resourceUsage().maxRSS / 1024),
  stallMs: delays.max / 1e6 - resolutionMs,
  workMs,
  packMiB: Math.round(packMiB),
}
function threadMs(): number {
  try {
    return Number(readFileSync('/proc/thread-self/schedstat', 'utf8').split(' ')[0]) / 1e6
  } catch {
    return 0
  }
}

process.send?.(figures, () => process.exit())
