// A daemon of its own for the tests of one file, kubectl to speak to it, and short ways to say what a command is expected
// to print. Tests of a file share the daemon and run at the same time, each in a namespace of its own.

import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'vitest'
import { startDaemon, stopDaemon } from './daemon-process.ts'
import { eventually, type Kubectl, kubectlFor } from './kubectl.ts'

/** What a command prints: this text exactly, or something like it. */
type Printed = string | RegExp

export interface KubectlCluster {
  readonly folder: string
  readonly kubeconfig: string
  readonly kubectl: Kubectl
  /** Runs kubectl, expects that it succeeds, and answers what it printed. */
  ok(args: string, input?: string): Promise<string>
  /** Runs kubectl, expects that it fails, and answers its errors. */
  fails(args: string, input?: string): Promise<string>
  /** Runs these commands one after another; each succeeds and prints what is said. */
  inOrder(cases: readonly (readonly [args: string, printed: Printed])[]): Promise<void>
  /** The same, all at once. */
  atOnce(cases: readonly (readonly [args: string, printed: Printed])[]): Promise<void>
  /** The same for commands that fail, and what they complain of. */
  refused(cases: readonly (readonly [args: string, complaint: Printed])[]): Promise<void>
  /** Makes a namespace with its service account; answers the option for it. */
  fresh(name: string): Promise<string>
  stop(): Promise<void>
}

function expectPrinted(actual: string, printed: Printed, args: string): void {
  if (typeof printed === 'string') expect(actual, `kubectl ${args}`).toBe(printed)
  else expect(actual, `kubectl ${args}`).toMatch(printed)
}

/** `more` are options of the daemon, given its folder. */
export async function startKubectlCluster(
  more: (folder: string) => readonly string[] = () => [],
): Promise<KubectlCluster> {
  const folder = mkdtempSync(join(tmpdir(), 'homeostat-kubectl-'))
  const daemon = await startDaemon({ dataDir: folder, args: ['--ephemeral', '--instant', ...more(folder)] })
  const kubeconfig = join(folder, 'kubeconfig')
  const kubectl = kubectlFor(kubeconfig)
  await eventually(
    () => kubectl('get nodes'),
    ({ stdout }) => (stdout.match(/ Ready /g) ?? []).length === 3,
  )
  const run = (args: string, input?: string) => kubectl(args, input === undefined ? {} : { input })
  const ok = async (args: string, input?: string): Promise<string> => {
    const { code, stdout, stderr } = await run(args, input)
    expect(`${code} ${stderr}`, `kubectl ${args}`).toMatch(/^0 /)
    return stdout
  }
  const fails = async (args: string, input?: string): Promise<string> => {
    const { code, stdout, stderr } = await run(args, input)
    expect(code, `kubectl ${args}: ${stdout}`).toBe(1)
    return stderr
  }
  return {
    folder,
    kubeconfig,
    kubectl,
    ok,
    fails,
    async inOrder(cases) {
      for (const [args, printed] of cases) expectPrinted(await ok(args), printed, args)
    },
    async atOnce(cases) {
      await Promise.all(cases.map(async ([args, printed]) => expectPrinted(await ok(args), printed, args)))
    },
    async refused(cases) {
      await Promise.all(cases.map(async ([args, complaint]) => expectPrinted(await fails(args), complaint, args)))
    },
    async fresh(name) {
      await ok(`create namespace ${name}`)
      await eventually(
        () => kubectl(`get serviceaccount default -n ${name}`),
        ({ code }) => code === 0,
      )
      return `-n ${name}`
    },
    async stop() {
      await stopDaemon(daemon)
      rmSync(folder, { recursive: true, force: true })
    },
  }
}
