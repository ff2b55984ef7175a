// Kinds of GitOps Promoter (promoter.argoproj.io). All begin alike: deleted, not looked at, then the Ready condition and the
// generation it was written for; only what a ready object says differs by kind. promotion.ts has the two that promote.

import {
  byCondition,
  degraded,
  type HealthRule,
  healthy,
  progressing,
  type StatusCondition,
  type Verdict,
} from '../verdict.ts'
import { changeTransferHealth, promotionStrategyHealth } from './promotion.ts'
import type { RuleTable } from './rule.ts'

interface Shape {
  readonly status?: {
    readonly conditions?: readonly PromoterCondition[]
    readonly environments?: readonly { readonly branch?: string; readonly phase?: string }[]
    readonly applicationsSelected?: readonly unknown[]
    readonly id?: string
    readonly sha?: string
    readonly state?: string
    readonly phase?: string
  }
}

interface PromoterCondition extends StatusCondition {
  readonly observedGeneration?: number
}

interface Words {
  /** As in `Initializing …`. */
  readonly starting: string
  readonly deleting: string
  /** As in `Waiting for … spec update to be observed`. */
  readonly observed: string
  /** Before the message of a failed reconcile, and of anything else that is not ready. */
  readonly failed: string
  readonly notReady: string
  /** Absent: an unknown readiness counts as ready. */
  readonly unknown?: string
  readonly missing: string
}

/** Promoter's own work on the noun: it is reconciled or it is not. */
const reconciling = (noun: string, deleting: 'deleted' | 'deleted.' = 'deleted'): Words => {
  const subject = `${noun.charAt(0).toUpperCase()}${noun.slice(1)}`
  const failed = `${subject} reconciliation failed`
  const missing = `${subject} is not ready yet`
  return {
    starting: noun,
    deleting: `${subject} is being ${deleting}`,
    observed: noun,
    failed,
    notReady: failed,
    missing,
  }
}

/** A check of something outside: the subject is valid, gated or passed. */
const checking = (
  kind: string,
  [starting, failed, notReady, unknown]: readonly [string, string, string, string],
): Words => ({
  starting,
  deleting: `${kind} is being deleted`,
  observed: kind,
  failed,
  notReady,
  unknown,
  missing: `${kind} Ready condition is missing`,
})

const provider = (kind: string, noun: string, subject: string): Words => {
  const words = checking(kind, [
    noun,
    `${subject} validation failed`,
    `${subject} not ready`,
    `${subject} readiness unknown`,
  ])
  return { ...words, deleting: `${words.deleting}.` }
}

/** What a finalizer waits for, and what is lost if it is removed by hand. */
const finalizers: Readonly<Record<string, string>> = {
  'changetransferpolicy.promoter.argoproj.io/finalizer':
    "Waiting to clear related PullRequest finalizers and finish cleanup before this policy is removed. Risk if removed manually: The 'changetransferpolicy.promoter.argoproj.io/pullrequest-finalizer' finalizer may not be cleaned up from PullRequests owned by this ChangeTransferPolicy.",
  'changetransferpolicy.promoter.argoproj.io/pullrequest-finalizer':
    'Waiting for the ChangeTransferPolicy to observe PR identity and state. Risk if removed manually: promotion status or history can be wrong or racy.',
  'pullrequest.promoter.argoproj.io/finalizer':
    'Waiting for SCM closure or reconciliation of the pull request. Risk if removed manually: the real PR can stay open after the CR is gone.',
  'gitrepository.promoter.argoproj.io/finalizer':
    'Waiting until no non-deleting PullRequests still reference this repository. Risk if removed manually: repository metadata may be removed while promotions still depend on it.',
  'scmprovider.promoter.argoproj.io/finalizer':
    'Waiting until no GitRepository in this namespace still references this provider. Risk if removed manually: GitRepository objects can reference a provider that no longer exists.',
  'clusterscmprovider.promoter.argoproj.io/finalizer':
    'Waiting until no GitRepository still references this cluster-wide SCM provider. Risk if removed manually: GitRepository objects can reference a provider that no longer exists.',
}

interface Explained {
  readonly conditions?: readonly string[]
  /** Finalizers worth explaining while the object is deleted. */
  readonly finalizers?: readonly string[]
}

const promoted =
  (words: Words, whenReady: HealthRule, explained: Explained = {}): HealthRule =>
  (object) => {
    const { deletionTimestamp, generation } = object.metadata
    if (deletionTimestamp !== undefined) {
      const known = (object.metadata.finalizers ?? []).filter((name) => explained.finalizers?.includes(name) === true)
      const message = [words.deleting, ...known.map((name) => `${name}: ${finalizers[name] ?? ''}`)].join(' ')
      return progressing(['metadata.deletionTimestamp', deletionTimestamp, 'being deleted'], message)
    }
    const { status } = object as Shape
    if (status === undefined)
      return progressing(['status', undefined, 'not looked at yet'], `Initializing ${words.starting}`)
    const types = explained.conditions ?? ['Ready']
    const found = (status.conditions ?? []).filter((condition) => types.includes(condition.type))
    for (const condition of found) {
      const verdict = notReady(condition, generation, words)
      if (verdict !== undefined) return verdict
    }
    return found.length === 0
      ? progressing(['status.conditions', undefined, 'no Ready condition'], words.missing)
      : whenReady(object)
  }

function notReady(condition: PromoterCondition, generation: number | undefined, words: Words): Verdict | undefined {
  const { observedGeneration, reason = 'Unknown' } = condition
  if (observedGeneration !== undefined && generation !== undefined && observedGeneration !== generation) {
    return progressing(
      byCondition(condition, `written for generation ${observedGeneration}, not ${generation}`),
      `Waiting for ${words.observed} spec update to be observed`,
    )
  }
  if (condition.status === 'False') {
    const title = reason === 'ReconciliationError' ? words.failed : `${words.notReady} (${reason})`
    return degraded(byCondition(condition, 'not ready'), `${title}: ${condition.message ?? 'Unknown error'}`)
  }
  if (condition.status !== 'Unknown' || words.unknown === undefined) return undefined
  return progressing(
    byCondition(condition, 'not known to be ready'),
    `${words.unknown} (${reason}): ${condition.message ?? 'Unknown'}`,
  )
}

const says =
  (message: string): HealthRule =>
  () =>
    healthy(['status.conditions[type=Ready]', 'True', 'ready'], message)

/** Environments have a phase each: one failure fails the whole, what is neither failed nor passed is pending. */
const gate =
  (subject: string, result: string, passed: string): HealthRule =>
  (object) => {
    const environments = (object as Shape).status?.environments ?? []
    const field = 'status.environments'
    if (environments.length === 0) return healthy([field, undefined, 'nothing to wait for'], `${subject} reconciled`)
    const branches = (wanted: string) =>
      environments.filter(({ phase }) => groupOfPhase(phase) === wanted).map(({ branch = '?' }) => branch)
    const [failed, pending] = [branches('failure'), branches('pending')]
    if (failed.length > 0)
      return degraded([field, failed, 'phase is failure'], `${result} failed for branch(es): ${failed.join(', ')}`)
    if (pending.length > 0)
      return progressing(
        [field, pending, 'phase is pending'],
        `${result} pending for branch(es): ${pending.join(', ')}`,
      )
    return healthy(
      [field, environments.length, 'all passed'],
      `${result} ${passed} for ${environments.length} environment(s)`,
    )
  }

const groupOfPhase = (phase = 'pending'): string => (phase === 'failure' || phase === 'success' ? phase : 'pending')

const applicationsHealth: HealthRule = (object) => {
  const count = (object as Shape).status?.applicationsSelected?.length ?? 0
  const field = 'status.applicationsSelected'
  return count === 0
    ? degraded([field, undefined, 'selects nothing'], 'Argo CD commit status has no applications configured')
    : healthy([field, count, 'ready'], `Argo CD commit status is healthy and is tracking ${count} applications`)
}

const commitStatusHealth: HealthRule = (object) => {
  const { sha, phase } = (object as Shape).status ?? {}
  const isTold = sha !== undefined && phase !== undefined
  return says(isTold ? `Commit status for commit ${sha} reports ${phase}` : 'Commit status is healthy')(object)
}

const pullRequestHealth: HealthRule = (object) => {
  const { id, state } = (object as Shape).status ?? {}
  const isTold = id !== undefined && state !== undefined
  return says(isTold ? `Pull request is ${state} as PR ${id}` : 'Pull request is healthy')(object)
}

const providerRule = (kind: string, noun: string, subject: string): HealthRule =>
  promoted(provider(kind, noun, subject), says(`${subject} is ready`), {
    finalizers: [`${kind.toLowerCase()}.promoter.argoproj.io/finalizer`],
  })

const gateRule = (kind: string, subject: string): HealthRule => {
  const title = `${subject.charAt(0).toUpperCase()}${subject.slice(1)}`
  const words = [subject, `${title} failed`, `${title} not ready`, `${title} status unknown`] as const
  return promoted(checking(kind, words), gate(title, title, kind === 'TimedCommitStatus' ? 'satisfied' : 'passed'))
}

export const promoterTable: RuleTable = {
  'promoter.argoproj.io/ArgoCDCommitStatus': promoted(reconciling('Argo CD commit status'), applicationsHealth),
  'promoter.argoproj.io/ChangeTransferPolicy': promoted(
    reconciling('change transfer policy', 'deleted.'),
    changeTransferHealth,
    { finalizers: ['changetransferpolicy.promoter.argoproj.io/finalizer'] },
  ),
  'promoter.argoproj.io/CommitStatus': promoted(reconciling('commit status'), commitStatusHealth),
  'promoter.argoproj.io/PromotionStrategy': promoted(reconciling('promotion strategy'), promotionStrategyHealth),
  'promoter.argoproj.io/PullRequest': promoted(reconciling('pull request', 'deleted.'), pullRequestHealth, {
    conditions: ['Reconciled', 'Ready'],
    finalizers: [
      'pullrequest.promoter.argoproj.io/finalizer',
      'changetransferpolicy.promoter.argoproj.io/pullrequest-finalizer',
    ],
  }),
  'promoter.argoproj.io/ClusterScmProvider': providerRule(
    'ClusterScmProvider',
    'cluster SCM provider',
    'Cluster SCM provider',
  ),
  'promoter.argoproj.io/ScmProvider': providerRule('ScmProvider', 'SCM provider', 'SCM provider'),
  'promoter.argoproj.io/GitRepository': providerRule('GitRepository', 'Git repository', 'Git repository'),
  'promoter.argoproj.io/GitCommitStatus': gateRule('GitCommitStatus', 'git commit validation'),
  'promoter.argoproj.io/TimedCommitStatus': gateRule('TimedCommitStatus', 'timed commit gate'),
  'promoter.argoproj.io/WebRequestCommitStatus': promoted(
    checking('WebRequestCommitStatus', [
      'web request commit validation',
      'Web request commit validation failed',
      'Web request commit validation not ready',
      'Web request commit validation unknown',
    ]),
    gate('Web request commit validation', 'Web request validation', 'passed'),
  ),
}
