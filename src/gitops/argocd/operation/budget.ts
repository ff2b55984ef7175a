// How long an operation may take, all its attempts together: what it waits for may never come. `SyncTimeout=30m` among the
// sync options of the operation or the Application, else `controller.sync.timeout.seconds` of argocd-cmd-params-cm, else an
// hour; 0 is for ever, which is what Argo CD has. Pure but for the ConfigMap.

import { parseDuration } from '#gitops/sync'
import { type Application, ConfigMap, type OperationState } from '#kinds'
import { parseTime } from '#objects'
import type { Cache } from '#reconcile'
import type { Finding } from '../application/conditions.ts'
import { argocdNamespace } from '../application/names.ts'
import { parametersName } from '../settings/compare-way.ts'

const option = 'SyncTimeout='
const settingName = 'controller.sync.timeout.seconds'
const defaultMs = 3_600_000

export interface Budget {
  /** World time at which it is over. */
  readonly until: number
  /** As somebody wrote it. */
  readonly text: string
}

/** Undefined: the operation may take as long as it likes. */
export function budgetOf(app: Application, state: OperationState, cache: Cache): Budget | undefined {
  const { text, ms } = [
    optionIn(state.operation.sync?.syncOptions),
    optionIn(app.spec.syncPolicy?.syncOptions),
    settingIn(cache),
  ].find((each) => each?.ms !== undefined) ?? { text: '1h', ms: defaultMs }
  return ms === undefined || ms === 0 ? undefined : { until: (parseTime(state.startedAt) ?? 0) + ms, text }
}

/** What is written as a time and is none counts as if it were not there, and is told. */
export function budgetFaults({ spec }: Application, cache: Cache): readonly Finding[] {
  const told = (place: string, given: Given | undefined): readonly Finding[] =>
    given === undefined || given.ms !== undefined
      ? []
      : [{ type: 'SyncError', message: `${place}${given.text} is no duration such as 30m, and does not count` }]
  return [
    ...told(`spec.syncPolicy.syncOptions: ${option}`, optionIn(spec.syncPolicy?.syncOptions)),
    ...told(`ConfigMap ${parametersName}: ${settingName}: `, settingIn(cache)),
  ]
}

interface Given {
  readonly text: string
  /** Undefined: it is no duration. */
  readonly ms: number | undefined
}

function optionIn(options: readonly string[] | undefined): Given | undefined {
  const text = options?.find((each) => each.startsWith(option))?.slice(option.length)
  return text === undefined ? undefined : { text, ms: parseDuration(text) }
}

function settingIn(cache: Cache): Given | undefined {
  const text = cache.get(ConfigMap, `${argocdNamespace}/${parametersName}`)?.data?.[settingName]
  return text === undefined ? undefined : { text: `${text}s`, ms: parseDuration(text) }
}
