// `npm run bench -- NAME [options]`: measurements. Each prints what it measured and what that compares to; with --json the
// last line is one JSON object. Numbers are reported, never asserted: a test that times things is a flaky test.

import { tool } from '../test/support/tool.ts'
import { api } from './api.ts'
import { converge } from './converge.ts'
import { fetch } from './fetch.ts'
import { gitops } from './gitops.ts'
import { idle } from './idle.ts'
import type { Measurement } from './measurement.ts'
import { schedule } from './schedule.ts'
import { start } from './start.ts'

const benches: readonly (readonly [name: string, measurement: Measurement])[] = [
  ['api', api],
  ['converge', converge],
  ['fetch', fetch],
  ['gitops', gitops],
  ['idle', idle],
  ['schedule', schedule],
  ['start', start],
]

const program = tool('bench', 'Measurements. They report; nothing is asserted.').usage('-- NAME [options]')
for (const [name, measurement] of benches)
  measurement(program.command(name)).usage('[options]').option('--json', 'ends with a line of JSON')
await program.parseAsync()
