// `npm run bench -- NAME [options]`: measurements. Each prints what it measured and what that compares to; with --json the
// last line is one JSON object. Numbers are reported, never asserted: a test that times things is a flaky test.

import { api } from './api.ts'
import { converge } from './converge.ts'
import { gitops } from './gitops.ts'
import { idle } from './idle.ts'
import { schedule } from './schedule.ts'
import { start } from './start.ts'

const benches: Readonly<Record<string, (args: readonly string[]) => Promise<void>>> = {
  api,
  converge,
  gitops,
  idle,
  schedule,
  start,
}

const [name = '', ...args] = process.argv.slice(2)
const bench = benches[name]
if (bench === undefined) {
  console.error(`bench ${name}: give one of ${Object.keys(benches).join(', ')}
  api [--pods 10000] [--server URL --token T] [--json]   requests over HTTPS to an API server alone, or to any other
  converge --pods 10000 --nodes 100 [--json]     Deployments of 100 replicas with Services, to all available
  converge --rounds 3 [--json]                   the same again and again in one process: what it does when it is warm
  converge --scaling [--json]                    cost per pod at 20,000 on 200 nodes against 2,000 on 20
  gitops [--apps 10000] [--small 1000] [--alone] [--json]   Applications of one repository: cold, after a commit, at rest
  idle --nodes 100 --pods 2000 --hours 24 [--json]   virtual time without work: its cost, and memory before and after
  schedule [--pods 500] [--json]                 what placing one pod costs at 100, 1,000 and 5,000 nodes
  start [--runs 5] [--json]                      process start until the demo is Synced and Healthy`)
  process.exitCode = 2
} else {
  await bench(args)
}
