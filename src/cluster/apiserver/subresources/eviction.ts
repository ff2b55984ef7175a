// pods/eviction: a delete that asks the PodDisruptionBudgets first (registry/core/pod/storage/eviction.go).

import { ApiError, type ApiResponse, type Status } from '#api'
import {
  allowing,
  type Eviction,
  invalid,
  type Pod,
  type PodCondition,
  type PodDisruptionBudget,
  PodDisruptionBudget as PodDisruptionBudgetKind,
  type PodDisruptionBudgetStatus,
} from '#kinds'
import { type AnyObject, matchesLabels, setCondition } from '#objects'
import type { Entry } from '#store'
import { admitBody } from '../admit.ts'
import { readBody } from '../body.ts'
import { expectedKind } from '../body-expected.ts'
import { deleteObject } from '../delete.ts'
import { checkedOptions, checkPreconditions, type DeleteOptions } from '../delete-options.ts'
import { badRequest, forbiddenError, invalidError } from '../errors.ts'
import { existing } from '../read.ts'
import { respondPlain } from '../represent.ts'
import { rewrite, rewriteEntry } from '../rewrite.ts'
import type { Scope } from '../scope.ts'
import { checkWriteOptions } from '../write-options.ts'
import { createdStatus } from './binding.ts'

const expected = { ...expectedKind('policy', 'v1', 'Eviction'), alsoAs: ['policy/v1beta1'] }
/** Disrupted pods that a budget remembers; more are refused until its controller has caught up. */
const maxDisruptedPods = 2000

export async function evict(scope: Scope): Promise<ApiResponse> {
  checkWriteOptions(scope, 'CreateOptions')
  const admitted = await admitBody(scope, 'CREATE', readBody(scope, expected), (body) => checked(scope, body))
  const eviction = admitted as unknown as Eviction
  const options = checkedOptions((eviction.deleteOptions ?? {}) as DeleteOptions)
  const dryRun = scope.dryRun || (options.dryRun ?? []).includes('All')
  const one = scope.about(scope.namespace, scope.name, {
    verb: 'delete',
    subresource: '',
    ...(dryRun ? { query: { ...scope.request.query, dryRun: 'All' } } : {}),
  })
  const entry = existing(scope)
  const pod = entry.value as unknown as Pod
  const refusal = isFreeToGo(pod) ? undefined : askBudget(one, pod)
  if (refusal !== undefined) return respondPlain(scope, 201, refusal)
  checkPreconditions(one, options, entry.value)
  const marked = markDisrupted(one, existing(one))
  await deleteObject(one, asOf(options, marked))
  return respondPlain(scope, 201, createdStatus)
}

function checked(scope: Scope, eviction: AnyObject): AnyObject {
  if (eviction.metadata.name !== scope.name) throw badRequest('name in URL does not match name in Eviction object')
  const option = 'ignoreStoreReadErrorWithClusterBreakingPotential'
  const { [option]: isUnsafe } = (eviction['deleteOptions'] ?? {}) as DeleteOptions
  if (isUnsafe !== true) return eviction
  const why = 'can not be set for pod eviction, try after removing the option'
  throw invalidError(expected, scope.name, [invalid(`deleteOptions.${option}`, true, why)])
}

/** The version that the client asked for is the one before the pod was marked. */
function asOf(options: DeleteOptions, { value }: Entry): DeleteOptions {
  const { preconditions } = options
  const { resourceVersion } = value.metadata
  if (preconditions?.resourceVersion === undefined || resourceVersion === undefined) return options
  return { ...options, preconditions: { ...preconditions, resourceVersion } }
}

/** Pods that do not run (any more) are no loss to any budget. */
function isFreeToGo({ metadata, status }: Pod): boolean {
  return metadata.deletionTimestamp !== undefined || ['Succeeded', 'Failed', 'Pending'].includes(status?.phase ?? '')
}

const isReady = ({ status }: Pod): boolean =>
  status?.conditions?.some(({ type, status: state }) => type === 'Ready' && state === 'True') === true

/** Throws where the budget forbids it; what Kubernetes takes for an answer and no error is handed back. */
function askBudget(scope: Scope, pod: Pod): Status | undefined {
  const [entry, second] = budgetsOf(scope, pod)
  if (entry === undefined) return undefined
  if (second !== undefined) {
    const message = 'This pod has more than one PodDisruptionBudget, which the eviction subresource does not support.'
    return new ApiError({ code: 500, reason: '', message }).toStatus()
  }
  const budget = entry.value as unknown as PodDisruptionBudget
  if (!isReady(pod)) {
    const { currentHealthy = 0, desiredHealthy = 0 } = budget.status ?? {}
    const policy = budget.spec?.unhealthyPodEvictionPolicy ?? 'IfHealthyBudget'
    if (policy === 'AlwaysAllow' || (currentHealthy >= desiredHealthy && desiredHealthy > 0)) return undefined
  }
  takeFrom(scope, entry, budget)
  return undefined
}

function budgetsOf(scope: Scope, { metadata }: Pod): readonly Entry[] {
  const { entries } = scope.core.store.list('poddisruptionbudgets.policy', { prefix: `${scope.namespace ?? ''}/` })
  return entries.filter(({ value }) => {
    const { selector } = (value as unknown as PodDisruptionBudget).spec ?? {}
    return selector !== undefined && matchesLabels(selector, metadata.labels)
  })
}

function tooMany(cause: string, retryAfterSeconds: number): ApiError {
  return new ApiError({
    code: 429,
    reason: 'TooManyRequests',
    message: "Cannot evict pod as it would violate the pod's disruption budget.",
    details: {
      causes: [{ reason: 'DisruptionBudget', message: cause }],
      ...(retryAfterSeconds === 0 ? {} : { retryAfterSeconds }),
    },
  })
}

function takeFrom(scope: Scope, entry: Entry, budget: PodDisruptionBudget): void {
  const { name = '', generation = 0 } = budget.metadata
  const {
    observedGeneration = 0,
    disruptionsAllowed = 0,
    disruptedPods = {},
    desiredHealthy = 0,
    currentHealthy = 0,
  } = budget.status ?? {}
  const what = { group: 'policy', resource: 'poddisruptionbudget' }
  if (observedGeneration < generation)
    throw tooMany(`The disruption budget ${name} is still being processed by the server.`, 10)
  if (disruptionsAllowed < 0) throw forbiddenError(what, name, 'pdb disruptions allowed is negative')
  if (Object.keys(disruptedPods).length > maxDisruptedPods)
    throw forbiddenError(what, name, 'DisruptedPods map too big - too many evictions not confirmed by PDB controller')
  if (disruptionsAllowed === 0)
    throw tooMany(
      `The disruption budget ${name} needs ${desiredHealthy} healthy pods and has ${currentHealthy} currently`,
      0,
    )
  const served = scope.core.registry.find(PodDisruptionBudgetKind)
  if (served === undefined) return
  const left = disruptionsAllowed - 1
  const before: PodDisruptionBudgetStatus = {
    desiredHealthy,
    currentHealthy,
    expectedPods: 0,
    ...budget.status,
    disruptionsAllowed: left,
  }
  const taken = { ...before, disruptedPods: { ...disruptedPods, [scope.name]: scope.now() } }
  // The last one that was allowed: the controller need not be waited for to say so.
  const status = left === 0 ? allowing(taken, left, scope.core.world.clock.now()) : taken
  rewrite(scope.core, served, entry, { ...entry.value, status }, scope.dryRun)
}

/** Tells in the pod's status why it goes. */
function markDisrupted(scope: Scope, entry: Entry): Entry {
  const pod = entry.value as unknown as Pod
  const before = pod.status?.conditions
  const condition = {
    type: 'DisruptionTarget',
    status: 'True',
    reason: 'EvictionByEvictionAPI',
    message: 'Eviction API: evicting',
    lastProbeTime: null as unknown as string,
  }
  const conditions = setCondition<PodCondition>(before, condition, scope.core.world.clock.now())
  if (conditions === before) return entry
  return rewriteEntry(scope, entry, { ...entry.value, status: { ...pod.status, conditions } })
}
