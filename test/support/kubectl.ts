// Real kubectl against a daemon: which binary, and running it. Tests are skipped where there is none.

import { execFile, spawnSync } from 'node:child_process'
import { setTimeout as delay } from 'node:timers/promises'

export interface KubectlResult {
  readonly code: number
  readonly stdout: string
  readonly stderr: string
}

export interface KubectlOptions {
  readonly input?: string
  readonly env?: Readonly<Record<string, string>>
  /** Ends kubectl when what it has printed satisfies this: a watch does not end by itself. */
  readonly until?: (printed: string) => boolean
}

export type Kubectl = (args: string, options?: KubectlOptions) => Promise<KubectlResult>

export const kubectlBinary = process.env.HOMEOSTAT_TEST_KUBECTL ?? 'kubectl'

export const hasKubectl: boolean = spawnSync(kubectlBinary, ['version', '--client'], { stdio: 'ignore' }).status === 0

/** Splits a command line at blanks; single quotes keep blanks together. */
const words = (line: string): readonly string[] =>
  [...line.matchAll(/'([^']*)'|(\S+?)='([^']*)'|\S+/g)].map(
    (match) => match[1] ?? (match[2] === undefined ? match[0] : `${match[2]}=${match[3]}`),
  )

const killedAfterMs = 60_000

/** A kubectl that speaks to the cluster of this kubeconfig. */
export function kubectlFor(kubeconfig: string): Kubectl {
  return (args, options = {}) =>
    new Promise((resolve) => {
      const child = execFile(
        kubectlBinary,
        words(args),
        {
          env: { ...process.env, KUBECONFIG: kubeconfig, KUBECACHEDIR: `${kubeconfig}.cache`, ...options.env },
          timeout: killedAfterMs,
          maxBuffer: 64 * 1024 * 1024,
        },
        (error, stdout, stderr) => resolve({ code: error === null ? 0 : Number(error.code ?? 1), stdout, stderr }),
      )
      child.stdin?.end(options.input ?? '')
      let printed = ''
      child.stdout?.on('data', (text: string) => {
        printed += text
        if (options.until?.(printed) === true) child.kill()
      })
    })
}

/** Runs kubectl until its output satisfies `holds` (at most 30 s of real time: the daemon lives in real time). */
export async function eventually(
  run: () => Promise<KubectlResult>,
  holds: (result: KubectlResult) => boolean,
): Promise<KubectlResult> {
  for (let tries = 0; ; tries++) {
    const result = await run()
    if (holds(result)) return result
    if (tries === 150) throw new Error(`still not so after 30 s:\n${result.stdout}${result.stderr}`)
    await delay(200)
  }
}
