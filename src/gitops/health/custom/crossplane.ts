// Resources of Crossplane's classic AWS provider and of its relatives: Synced says that the provider could speak for the
// resource, Ready that the resource is there. And Crossplane's own packages.

import { degraded, findCondition, type HealthRule, healthy, progressing, type StatusCondition } from '../verdict.ts'
import type { Rule, RuleTable } from './rule.ts'

export const managed = (noun: string): Rule => [
  { when: [['status.conditions', 'has', 'Synced=True']], conditions: { 'Ready=True': ['Healthy', '{.reason}'] } },
  {
    conditions: {
      'Synced!=True(ReconcilePaused)': ['Suspended', '{.reason}'],
      'Synced=True(!ReconcilePaused)': ['Progressing', `Waiting for ${noun} to be available`],
      'Synced(ReconcileError)': ['Degraded'],
    },
  },
  { when: [['status.conditions', 'set']], answer: ['Degraded', ''] },
  { answer: ['Progressing', `Waiting for ${noun} to be created`] },
]

const providerHealth: HealthRule = (object) => {
  const { status } = object as { readonly status?: { readonly conditions?: readonly StatusCondition[] } }
  const field = 'status.conditions'
  if (status?.conditions === undefined)
    return progressing([field, undefined, 'not observed yet'], 'Waiting for provider to be installed')
  const both = ['Installed', 'Healthy'].map((type) => findCondition(status.conditions, type))
  const message = both.map((condition) => condition?.reason ?? '').join(' ')
  return both.every((condition) => condition?.status === 'True')
    ? healthy([field, both.length, 'Installed and Healthy are True'], message)
    : degraded([field, undefined, 'Installed and Healthy are not both True'], message)
}

interface IamRole {
  readonly status?: {
    readonly state?: string
    readonly roleName?: string
    readonly roleARN?: string
    readonly roleID?: string
    readonly retryCount?: number
    readonly errorDescription?: string
  }
}

const roleFailures = ['Error', 'RolesMaxLimitReached', 'PolicyNotAllowed', 'RoleNameNotAvailable']

const iamRoleHealth: HealthRule = (object) => {
  const { state = '', retryCount = 0, errorDescription, ...role } = (object as IamRole).status ?? {}
  const { roleName = '<none>', roleARN = '<none>', roleID = '<none>' } = role
  const identity = `with ARN '${roleARN}' and ID '${roleID}'.`
  const field = 'status.state'
  if (state === 'Ready') return healthy([field, state, 'reconciled'], `Role '${roleName}' exists ${identity}`)
  if (!roleFailures.includes(state))
    return progressing([field, state, 'neither ready nor failed'], 'Waiting for Iamrole to be reconciled')
  const retries = retryCount > 0 ? `(retry ${retryCount}) ` : ''
  const cause = errorDescription === undefined ? '' : ` Reconciliation error was: ${errorDescription}`
  return degraded(
    [field, state, 'failed'],
    `Failed to reconcile the Iamrole ${retries}for role '${roleName}' ${identity}${cause}`,
  )
}

export const crossplaneTable: RuleTable = {
  'cloudfront.aws.crossplane.io/Distribution': managed('distribution'),
  'iam.aws.crossplane.io/Policy': managed('Policy'),
  'iam.aws.crossplane.io/Role': managed('Role'),
  'iam.aws.crossplane.io/RolePolicyAttachment': managed('RolePolicyAttachment'),
  'rds.aws.crossplane.io/DBCluster': managed('DBCluster'),
  'rds.aws.crossplane.io/DBInstance': managed('DBInstance'),
  // The spelling is Argo CD's.
  'route53.aws.crossplane.io/ResourceRecordSet': managed('resourcrecordset'),
  's3.aws.crossplane.io/Bucket': managed('Bucket'),
  'pkg.crossplane.io/Provider': providerHealth,
  'stacks.crossplane.io/ClusterStackInstall': [
    {
      at: 'status.conditionedStatus.conditions',
      conditions: { 'Ready=True': ['Healthy', '{.reason}'], Ready: ['Progressing', '{.reason}'] },
    },
    { answer: ['Progressing', 'Waiting for stack to be installed'] },
  ],
  'iammanager.keikoproj.io/Iamrole': iamRoleHealth,
}
