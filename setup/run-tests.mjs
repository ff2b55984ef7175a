// Runs all tests and ends with one line `N passed, N failed` (`, N skipped`), which continuous integration reads.

import { existsSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'

export async function runTests({ root, vitest, args, env, run }) {
  const report = join(root, '.setup/test-report.json')
  rmSync(report, { force: true })
  const reporters = ['--reporter=default', '--reporter=json', `--outputFile.json=${report}`]
  const code = await run(vitest, ['run', ...reporters, ...args], { env })
  if (!existsSync(report)) return code === 0 ? 1 : code
  const { numPassedTests, numFailedTests, numPendingTests, testResults } = JSON.parse(readFileSync(report, 'utf8'))
  // A file that fails to load has no tests of its own, but is a failure all the same.
  const broken = testResults.filter((file) => file.status === 'failed' && file.assertionResults.length === 0).length
  const skipped = numPendingTests > 0 ? `, ${numPendingTests} skipped` : ''
  process.stdout.write(`${numPassedTests} passed, ${numFailedTests + broken} failed${skipped}\n`)
  return code
}
