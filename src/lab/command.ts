// What a command of a scenario is: it does something to a lab and says what it did.

import type { Client } from '#client'
import type { Lab } from './lab.ts'
import type { Words } from './words.ts'

export interface CommandCall extends Words {
  /** The indented lines below the command. */
  readonly body: string
}

export interface LabCommand {
  readonly name: string
  /** After the name, in the words of a help page. */
  readonly usage: string
  readonly run: (lab: Lab, call: CommandCall) => Promise<readonly string[]>
}

export const namespaceOf = ({ options }: CommandCall): string => options.get('namespace') ?? 'default'

/** Lists options for `-n`, `-A` and `-l`. */
export function spaceOf(call: CommandCall): NonNullable<Parameters<Client['list']>[1]> {
  const selector = call.options.get('selector')
  return {
    ...(call.options.has('all-namespaces') ? {} : { namespace: namespaceOf(call) }),
    ...(selector === undefined ? {} : { labelSelector: selector }),
  }
}
