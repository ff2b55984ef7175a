// Real helm against a daemon: which binary, and running it with folders of its own.

import { execFile, spawnSync } from 'node:child_process'
import { join } from 'node:path'
import type { KubectlResult } from './kubectl.ts'

const helmBinary = process.env.HOMEOSTAT_TEST_HELM ?? 'helm'

const version = spawnSync(helmBinary, ['version', '--template', '{{.Version}}'], { encoding: 'utf8' })

/** Of helm 4 and newer: older ones have other words and options. */
export const hasHelm: boolean = version.status === 0 && Number(/^v(\d+)/.exec(version.stdout)?.[1] ?? 0) >= 4

export type Helm = (args: string) => Promise<KubectlResult>

/** A helm that speaks to the cluster of this kubeconfig and keeps its files in `folder`. */
export function helmFor(kubeconfig: string, folder: string): Helm {
  const env = {
    ...process.env,
    KUBECONFIG: kubeconfig,
    HELM_CACHE_HOME: join(folder, 'helm-cache'),
    HELM_CONFIG_HOME: join(folder, 'helm-config'),
    HELM_DATA_HOME: join(folder, 'helm-data'),
  }
  return (args) =>
    new Promise((resolve) => {
      execFile(helmBinary, args.split(' '), { env, timeout: 60_000 }, (error, stdout, stderr) =>
        resolve({ code: error === null ? 0 : Number(error.code ?? 1), stdout, stderr }),
      )
    })
}
