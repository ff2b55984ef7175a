// `homeostat explain KIND/NAME`: which loop has the next step for an object, and what gap it sees.

import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type ApiHandler, isNotFound } from '#api'
import { createClient, httpHandler, readKubeconfig } from '#client'
import { explain, formatFindings } from '#insight'
import type { CommandDefinition } from '../command.ts'
import { dataDirOf } from '../connect.ts'
import { CommandError, exitCode } from '../exit-code.ts'
import { parseOutputFormat, printResult } from '../output.ts'
import { findResource } from '../resources.ts'

function parseTarget(text: string): { readonly kind: string; readonly name: string } {
  const slash = text.indexOf('/')
  if (slash <= 0 || slash === text.length - 1)
    throw new CommandError(`explain ${text}: give KIND/NAME, such as pod/web-1 or deployment/web`, exitCode.usage)
  return { kind: text.slice(0, slash), name: text.slice(slash + 1) }
}

function handlerOf(kubeconfig: string): ApiHandler {
  if (!existsSync(kubeconfig))
    throw new CommandError(
      `no daemon found: ${kubeconfig} does not exist. Start one with "homeostat up REPO", or name its --data-dir`,
    )
  return httpHandler(readKubeconfig(readFileSync(kubeconfig, 'utf8')))
}

export const explainCommand: CommandDefinition = (program, { terminal, action }) => {
  program
    .command('explain <kind/name>')
    .description('say which loop is stuck on an object, and what gap it sees; exit code 1 unless converged')
    .option('-n, --namespace <namespace>', 'namespace of the object', 'default')
    .option('-o, --output <format>', 'table, json or yaml', 'table')
    .option('--data-dir <folder>', "the daemon's data directory")
    .action(
      action(async (target: string, options: { namespace: string; output: string; dataDir?: string }) => {
        const format = parseOutputFormat(options.output)
        const { kind: kindName, name } = parseTarget(target)
        const handler = handlerOf(join(dataDirOf(terminal, options.dataDir), 'kubeconfig'))
        const client = createClient(handler, { user: '', groups: [], userAgent: 'homeostat' })
        const kind = await findResource(client, kindName)
        const ref = kind.namespaced ? { namespace: options.namespace, name } : { name }
        const findings = await explain(client, kind, ref).catch((error: unknown) => {
          if (isNotFound(error))
            throw new CommandError(
              `${kindName}/${name} does not exist${kind.namespaced ? ` in namespace ${options.namespace} (choose another with -n)` : ''}`,
            )
          throw error
        })
        printResult(terminal, format, findings, () => formatFindings(findings))
        return findings.every(({ state }) => state === 'converged') ? exitCode.ok : exitCode.differs
      }),
    )
}
