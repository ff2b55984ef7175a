// What starts and stops workloads by demand: Knative, KServe, OpenFaaS, KEDA, Karpenter.

import { degraded, type HealthRule, healthy, progressing, type StatusCondition, suspended } from '../verdict.ts'
import { matches, selectorOf } from './condition-selector.ts'
import { byReady } from './idioms.ts'
import { isBehind, type Rule, type RuleTable, type Step } from './rule.ts'

interface Observed {
  readonly status?: {
    readonly conditions?: readonly StatusCondition[]
    readonly modelStatus?: { readonly transitionStatus?: string }
  }
}

const field = 'status.conditions'
const conditionsOf = (object: object): readonly StatusCondition[] | undefined => (object as Observed).status?.conditions

interface Installation {
  /** All of these must be True. */
  readonly needed: readonly string[]
  /** Those of them that are False only while the installation goes on. */
  readonly open: readonly string[]
}

const knativeInstallation =
  ({ needed, open }: Installation): HealthRule =>
  (object) => {
    const conditions = conditionsOf(object)
    if (conditions === undefined)
      return progressing([field, undefined, 'not observed yet'], `Waiting for ${object.kind}`)
    const list = conditions.map(({ type, status }, index) => `${index + 1}: ${type} | ${status}\n`).join('')
    const pending = conditions.find(
      ({ type, status }) => status === 'Unknown' || (status === 'False' && open.includes(type)),
    )
    if (pending !== undefined)
      return progressing([`${field}[type=${pending.type}]`, pending.status, 'not yet True'], list)
    const reached = conditions.filter(({ type, status }) => status === 'True' && needed.includes(type))
    return reached.length === needed.length
      ? healthy([field, reached.length, 'all that are needed are True'], `${object.kind} is healthy.`)
      : degraded([field, reached.length, `not all of ${needed.join(', ')} are True`], list)
  }

const routed: readonly string[] = ['ConfigurationsReady', 'RoutesReady', 'Ready']

const knativeServiceHealth: HealthRule = (object) => {
  const conditions = conditionsOf(object)
  if (conditions === undefined) return progressing([field, undefined, 'not observed yet'], 'Waiting for status update.')
  const reached = conditions.filter(({ type, status }) => status === 'True' && routed.includes(type))
  const others = conditions.filter(({ status }) => status === 'False' || status === 'Unknown')
  if (reached.length === routed.length && others.length === 0)
    return healthy([field, reached.length, 'all are True'], 'Knative Service is healthy.')
  const text = others.map(sentence).join('')
  const failed = others.find(({ status }) => status === 'False')
  return failed === undefined
    ? progressing([field, reached.length, 'not all are True'], text)
    : degraded([`${field}[type=${failed.type}]`, failed.status, 'failed'], text)
}

const sentence = ({ type, status, reason = '', message = '' }: StatusCondition): string => {
  const since = reason === '' ? '' : `, since ${reason}.`
  return `${type} is ${status}${since}${message === '' ? '' : ` ${message}`}\n`
}

/** A failed condition may still mend, as long as the model itself is not refused. */
const inferenceHealth: HealthRule = (object) => {
  const { status } = object as Observed
  const conditions = status?.conditions
  if (conditions === undefined)
    return progressing([field, undefined, 'not observed yet'], 'Waiting for InferenceService to report status...')
  if (conditions.some(({ type, status }) => type === 'Stopped' && status === 'True'))
    return suspended([`${field}[type=Stopped]`, 'True', 'stopped by the user'], 'InferenceService is Stopped')
  const transition = status?.modelStatus === undefined ? 'UpToDate' : (status.modelStatus.transitionStatus ?? '')
  const open = conditions
    .map((condition, index) => ({ ...condition, number: index + 1 }))
    .filter(({ type, status }) => type !== 'Stopped' && status !== 'True')
  const proof = ['status.modelStatus.transitionStatus', transition, `${open.length} conditions are not True`] as const
  const isUndecided = conditions.some(({ type, status }) => type === 'Stopped' && status === 'Unknown')
  if (transition === 'UpToDate' && open.length === 0 && !isUndecided)
    return healthy(proof, 'InferenceService is healthy.')
  const text = open.map(({ number, type, status, reason, message }) =>
    [` | ${number}: ${type}`, status, reason, message].filter((part) => part !== undefined && part !== '').join(' | '),
  )
  const message = `${transition === 'UpToDate' ? '' : `0: transitionStatus | ${transition}`}${text.join('')}`
  const isRefused = transition !== 'UpToDate' && transition !== 'InProgress'
  return isRefused ? degraded(proof, message) : progressing(proof, message)
}

/** The message is that of the last condition that counts. */
const keda =
  (failures: readonly string[], waiting: string): HealthRule =>
  (object) => {
    const conditions = conditionsOf(object) ?? []
    const find = (...selectors: readonly string[]) =>
      conditions.filter((condition) => selectors.some((text) => matches(selectorOf(text), condition))).at(-1)
    const [failed, ready, paused] = [find(...failures), find('Ready=True'), find('Paused=True')]
    const message = find(...failures, 'Ready=True', 'Paused=True')?.message
    if (failed !== undefined) return degraded([`${field}[type=${failed.type}]`, failed.status, 'failed'], message)
    if (ready === undefined) return progressing([field, undefined, 'not ready'], waiting)
    return paused === undefined
      ? healthy([`${field}[type=Ready]`, 'True', 'ready'], message)
      : suspended([`${field}[type=Paused]`, 'True', 'paused by the user'], message)
  }

const openfaas = (ready: readonly ['Healthy'] | readonly ['Suspended', string]): Step => ({
  conditions: { 'Ready=False': ['Degraded'], 'Stalled=True': ['Degraded'], 'Ready=True': ready },
})

/** Without a decided Ready: the furthest that the node has come. */
const nodeClaim: Rule = [
  { when: isBehind, answer: ['Progressing', 'Waiting for NodeClaim spec to be reconciled'] },
  { conditions: { 'Disrupting=True': ['Suspended'] } },
  { conditions: { 'Ready=True': ['Healthy'], 'Ready=False': ['Degraded'] } },
  { conditions: { 'Initialized=True': ['Progressing', 'Node initialized, waiting for Ready'] } },
  { conditions: { 'Registered=True': ['Progressing', 'Node registered, waiting for initialization'] } },
  { conditions: { 'Launched=True': ['Progressing', 'Node launched, waiting for registration'] } },
  { answer: ['Progressing', 'Waiting for NodeClaim to be launched'] },
]

export const serverlessTable: RuleTable = {
  'operator.knative.dev/KnativeEventing': knativeInstallation({
    needed: ['Ready', 'InstallSucceeded'],
    open: ['Ready'],
  }),
  'operator.knative.dev/KnativeServing': knativeInstallation({
    needed: ['Ready', 'InstallSucceeded', 'DependenciesInstalled', 'DeploymentsAvailable'],
    open: ['Ready', 'DeploymentsAvailable'],
  }),
  'serving.knative.dev/Service': knativeServiceHealth,
  'serving.kserve.io/InferenceService': inferenceHealth,
  'openfaas.com/Function': [
    { when: [['status.replicas', 'atLeast', 1]], steps: [openfaas(['Healthy'])] },
    openfaas(['Suspended', 'No replicas available']),
    { answer: ['Progressing', 'Waiting for Function'] },
  ],
  'keda.sh/ScaledJob': keda(['Ready=False', 'Ready=Unknown'], 'Waiting for ScaledJob'),
  'keda.sh/ScaledObject': keda(['Ready=False', 'Fallback=True'], 'Creating HorizontalPodAutoscaler Object'),
  'karpenter.k8s.aws/EC2NodeClass': [
    { conditions: { 'Ready=False': ['Degraded'], 'Ready=True': ['Healthy', 'EC2NodeClass is ready'] } },
    { answer: ['Progressing', 'Waiting for EC2NodeClass to be ready'] },
  ],
  'karpenter.sh/NodeClaim': nodeClaim,
  'karpenter.sh/NodePool': byReady('Waiting for NodePool to be ready'),
}
