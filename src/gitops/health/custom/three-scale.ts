// Health of 3scale's API management: most kinds say by the type of their first true condition how they are.

import type { Answer, Rule, RuleTable, Step } from './rule.ts'

type Failures = Readonly<Record<string, readonly [health: 'Degraded' | 'Suspended' | 'Progressing', text: string]>>

/** The first condition that is True decides; one of a failure speaks for itself. */
function byFirstTrue(kind: string, [ready, readyText]: readonly [string, string], failures: Failures): Rule {
  const conditions: Record<string, Answer> = { [`${ready}=True`]: ['Healthy', `3scale ${kind} is ${readyText}`] }
  for (const [type, [health, text]] of Object.entries(failures))
    conditions[`${type}=True`] = [health, '{.message}', `3scale ${kind} ${text}`]
  return [{ conditions }, waiting(kind)]
}

const waiting = (kind: string): Step => ({ answer: ['Progressing', `Waiting for 3scale ${kind} status...`] })

const ready = ['Ready', 'ready'] as const
const synced = ['Synced', 'synced'] as const
const invalid = ['Degraded', 'configuration is invalid'] as const
const orphan = ['Degraded', 'references non-existing resources'] as const
const notSynchronized = ['Degraded', 'synchronization failed'] as const

export const threeScaleTable: RuleTable = {
  'apps.3scale.net/APIManager': [
    {
      when: [
        ['status.deployments.ready', 'set'],
        ['status.deployments.starting', 'unset'],
        ['status.deployments.stopped', 'unset'],
      ],
      answer: ['Healthy', '3scale APIManager is available'],
    },
    { conditions: { 'Available=True': ['Healthy', '3scale APIManager is available'] } },
    {
      when: [
        ['status.conditions[type=Available].reason', 'set'],
        ['status.conditions[type=Available].reason', 'not', ''],
      ],
      answer: ['Degraded', '3scale APIManager is degraded: {status.conditions[type=Available].reason}'],
    },
    waiting('APIManager'),
  ],
  'capabilities.3scale.net/ActiveDoc': byFirstTrue('ActiveDoc', ready, {
    Invalid: invalid,
    Orphan: orphan,
    Failed: notSynchronized,
  }),
  // One that never got its number in 3scale is not there; one that has it and is not ready is being changed.
  'capabilities.3scale.net/Application': [
    {
      when: [['status.state', 'is', 'suspended']],
      answer: ['Suspended', '3scale Application is suspended'],
    },
    { conditions: { 'Ready=True': ['Healthy', '3scale Application is ready'] } },
    {
      when: [['status.adminId', 'below', 1]],
      steps: [{ conditions: { Ready: ['Degraded', '{.message}', '3scale Application is not ready'] } }],
    },
    waiting('Application'),
  ],
  'capabilities.3scale.net/ApplicationAuth': byFirstTrue('ApplicationAuth', ready, { Failed: ['Degraded', 'failed'] }),
  'capabilities.3scale.net/Backend': byFirstTrue('Backend', synced, { Invalid: invalid, Failed: notSynchronized }),
  'capabilities.3scale.net/CustomPolicyDefinition': byFirstTrue('CustomPolicyDefinition', ready, {
    Invalid: invalid,
    Failed: notSynchronized,
  }),
  'capabilities.3scale.net/DeveloperAccount': byFirstTrue('DeveloperAccount', ready, {
    Invalid: invalid,
    Failed: notSynchronized,
    Waiting: ['Suspended', 'is waiting for approval'],
  }),
  'capabilities.3scale.net/DeveloperUser': [
    {
      when: [['status.developerUserState', 'is', 'suspended']],
      answer: ['Suspended', '3scale Developer user is waiting for admin approval'],
    },
    ...byFirstTrue('DeveloperUser', ready, { Invalid: invalid, Orphan: orphan, Failed: notSynchronized }),
  ],
  'capabilities.3scale.net/OpenAPI': byFirstTrue('OpenAPI', ready, {
    Invalid: invalid,
    Failed: ['Degraded', 'reconciliation failed'],
  }),
  'capabilities.3scale.net/Product': byFirstTrue('Product', synced, {
    Invalid: invalid,
    Orphan: orphan,
    Failed: notSynchronized,
  }),
  'capabilities.3scale.net/ProxyConfigPromote': byFirstTrue('ProxyConfigPromote', ready, {
    'In-progress': ['Progressing', 'is in progress'],
    Failed: ['Degraded', 'failed'],
  }),
  // Ready without the numbers that 3scale gives means that it is still being made.
  'capabilities.3scale.net/Tenant': [
    {
      when: [
        ['status.tenantId', 'atLeast', 1],
        ['status.adminId', 'atLeast', 1],
        ['status.conditions', 'has', 'Ready=True'],
      ],
      answer: ['Healthy', '3scale Tenant is ready'],
    },
    { conditions: { 'Ready!=True': ['Degraded', '{.message}', '3scale Tenant is degraded'] } },
    waiting('Tenant'),
  ],
}
