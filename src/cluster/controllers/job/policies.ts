// spec.podFailurePolicy and spec.successPolicy: what a failed pod means to its Job, and when enough indexes have
// succeeded. Pure; texts are Kubernetes' own.

import type { ContainerStatus, Job, Pod, PodFailurePolicyRule, SuccessPolicy } from '#kinds'
import { countCommon, countOf, type Indexes, parseIndexes } from './indexes.ts'

export interface FailureVerdict {
  readonly action?: PodFailurePolicyRule['action']
  /** Whether the failure counts towards the limits. */
  readonly counts: boolean
  /** Why the whole Job fails. */
  readonly failJob?: string
}

const counted: FailureVerdict = { counts: true }

/** What the first matching rule says of a failed pod. */
export function judgeFailure(job: Job, pod: Pod): FailureVerdict {
  const rules = job.spec.podFailurePolicy?.rules ?? []
  for (const [i, rule] of rules.entries()) {
    const cause = causeOf(rule, pod)
    if (cause === undefined) continue
    const { action } = rule
    if (action === 'FailJob') return { action, counts: true, failJob: `${cause} matching ${action} rule at index ${i}` }
    return { action, counts: action !== 'Ignore' }
  }
  return counted
}

function causeOf(rule: PodFailurePolicyRule, { metadata, status }: Pod): string | undefined {
  const name = `${metadata.namespace}/${metadata.name}`
  if (rule.onExitCodes !== undefined) {
    const found =
      matching(rule.onExitCodes, status?.containerStatuses) ?? matching(rule.onExitCodes, status?.initContainerStatuses)
    return found === undefined
      ? undefined
      : `Container ${found.name} for pod ${name} failed with exit code ${found.state?.terminated?.exitCode}`
  }
  const condition = status?.conditions?.find((one) =>
    rule.onPodConditions?.some((pattern) => pattern.type === one.type && pattern.status === one.status),
  )
  return condition === undefined ? undefined : `Pod ${name} has condition ${condition.type}`
}

function matching(
  { containerName, operator, values }: NonNullable<PodFailurePolicyRule['onExitCodes']>,
  statuses: readonly ContainerStatus[] | undefined,
): ContainerStatus | undefined {
  return statuses?.find(({ name, state }) => {
    const code = state?.terminated?.exitCode
    if (code === undefined || code === 0 || (containerName !== undefined && containerName !== name)) return false
    return values.includes(code) === (operator === 'In')
  })
}

/** The message of the first rule that is met. */
export function metSuccessRule(
  policy: SuccessPolicy | undefined,
  completions: number,
  succeeded: Indexes,
): string | undefined {
  if (policy === undefined || countOf(succeeded) === 0) return undefined
  const at = policy.rules.findIndex((rule) => {
    if (rule.succeededIndexes === undefined)
      return rule.succeededCount !== undefined && countOf(succeeded) >= rule.succeededCount
    const required = parseIndexes(rule.succeededIndexes, completions)
    const common = countCommon(succeeded, required)
    return common > 0 && common >= Math.min(countOf(required), rule.succeededCount ?? Number.POSITIVE_INFINITY)
  })
  return at < 0 ? undefined : `Matched rules at index ${at}`
}
