// `homeostat version`: this program, the level of Kubernetes that it simulates, and the Node it runs on.

import type { CommandDefinition } from '../command.ts'
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
        const versions = { homeostat: packageVersion(), kubernetes: kubernetesLevel, node: process.versions.node }
        printResult(terminal, parseOutputFormat(options.output), versions, () =>
          [
            `homeostat ${versions.homeostat}`,
            `simulates Kubernetes ${versions.kubernetes}`,
            `Node ${versions.node}`,
          ].join('\n'),
        )
        return exitCode.ok
      }),
    )
}
