// `homeostat version`: this program, the level of Kubernetes that it simulates, the Node it runs on, and what renders charts and
// kustomizations, as far as it is here.

import { systemWorld } from '#world'
import type { CommandDefinition } from '../command.ts'
import { toolsDirectory } from '../connect.ts'
import { exitCode } from '../exit-code.ts'
import { parseOutputFormat, printResult } from '../output.ts'
import { packageVersion } from '../package-version.ts'

const kubernetesLevel = 'v1.34.0'

export const versionCommand: CommandDefinition = (program, { terminal, action }) => {
  program
    .command('version')
    .description('print versions')
    .option('-o, --output <format>', 'table, json or yaml', 'table')
    .action(
      action(async (options: { output: string }) => {
        const { createTools } = await import('#gitops')
        const tools = createTools({
          world: systemWorld(),
          directory: toolsDirectory(terminal),
          environment: terminal.env,
          offline: true,
        })
        const versions = {
          homeostat: packageVersion(),
          kubernetes: kubernetesLevel,
          node: process.versions.node,
          ...(await tools.versions()),
        }
        printResult(terminal, parseOutputFormat(options.output), versions, () =>
          [
            `homeostat ${versions.homeostat}`,
            `simulates Kubernetes ${versions.kubernetes}`,
            `Node ${versions.node}`,
            `kubectl ${shown(versions.kubectl)}${versions.kustomize === '' ? '' : ` with kustomize ${versions.kustomize}`}`,
            `helm ${shown(versions.helm)}`,
          ].join('\n'),
        )
        return exitCode.ok
      }),
    )
}

const shown = (version: string): string =>
  version === '' ? 'is not on PATH: it is fetched from the npm registry when it is needed' : version
