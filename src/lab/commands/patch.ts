// `patch KIND/NAME`: a merge patch from its body (YAML) or its second word (JSON); `--type=json` for operations.

import { parse } from 'yaml'
import type { PatchType } from '#api'
import type { LabCommand } from '../command.ts'
import { UsageError } from '../scenario-error.ts'

const types: Readonly<Record<string, PatchType>> = {
  merge: 'application/merge-patch+json',
  strategic: 'application/strategic-merge-patch+json',
  json: 'application/json-patch+json',
}

export const patchCommand: LabCommand = {
  name: 'patch',
  usage: 'KIND/NAME [PATCH | body] [-n NAMESPACE] [--type=merge|strategic|json] [--subresource=NAME] [--as=MANAGER]',
  async run(lab, { words: [target, text], options, body }) {
    const { kind, ref } = await lab.target(target, options.get('namespace'))
    const type = types[options.get('type') ?? 'merge']
    if (type === undefined) throw new UsageError(`--type: use ${Object.keys(types).join(', ')}`)
    const patch: unknown = parse(text ?? body)
    const subresource = options.get('subresource')
    const fieldManager = options.get('as')
    await lab.ask((client) =>
      client.patch(kind, ref, patch, {
        type,
        ...(subresource === undefined ? {} : { subresource }),
        ...(fieldManager === undefined ? {} : { fieldManager }),
      }),
    )
    return [`${kind.kind.toLowerCase()}/${ref.name} patched`]
  },
}
