// Which plug-ins work: those that a kube-apiserver has by default, with those that are named beside them and without those
// that are named away (--enable-admission-plugins, --disable-admission-plugins), and by which configuration
// (--admission-control-config-file).

import type { AdmissionPlugin } from './plugin.ts'

export interface AdmissionChoice {
  readonly enable?: readonly string[]
  readonly disable?: readonly string[]
  /** Plug-ins that take the place of those of the same name. */
  readonly configured?: readonly AdmissionPlugin[]
  /** Where webhooks outside of the cluster may be called; default: on this machine. */
  readonly webhookHosts?: readonly string[]
}

/** In the order of `all`. */
export const chosen = (
  all: readonly AdmissionPlugin[],
  { enable = [], disable = [], configured = [] }: AdmissionChoice,
): readonly AdmissionPlugin[] =>
  all
    .filter(({ name, isOptional }) => !disable.includes(name) && (isOptional !== true || enable.includes(name)))
    .map((plugin) => configured.find(({ name }) => name === plugin.name) ?? plugin)

/** Why nothing can be chosen like this; undefined when it can. */
export function choiceFault(
  all: readonly AdmissionPlugin[],
  { enable = [], disable = [] }: AdmissionChoice,
): string | undefined {
  const unknown = [...enable, ...disable].find((name) => !all.some((plugin) => plugin.name === name))
  if (unknown !== undefined)
    return `there is no admission plug-in ${JSON.stringify(unknown)}; there are ${all.map(({ name }) => name).join(', ')}`
  const both = enable.find((name) => disable.includes(name))
  return both === undefined ? undefined : `${both} cannot be both enabled and disabled`
}
