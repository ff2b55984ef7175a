// Objects of GitOps Promoter that are deleted, late, refused, gated and promoted.

import { describe, expect, test } from 'vitest'
import { told } from '../../../../test/support/custom-health.ts'

const ready = { type: 'Ready', status: 'True', reason: 'ReconciliationSuccess' }
const readyWith = (rest: object) => ({ status: { conditions: [ready], ...rest } })

describe('before it is ready', () => {
  const policy = (rest: object) => told('promoter.argoproj.io/ChangeTransferPolicy', rest)
  const provider = (rest: object) => told('promoter.argoproj.io/ScmProvider', rest)
  const failed = (reason: string) => ({
    status: { conditions: [{ type: 'Ready', status: 'False', reason, message: 'no token' }] },
  })
  const unknown = { status: { conditions: [{ type: 'Ready', status: 'Unknown', message: 'asking' }] } }

  test('a deletion tells what its known finalizers wait for', () => {
    const finalizers = ['scmprovider.promoter.argoproj.io/finalizer', 'example.com/other']
    expect(provider({ metadata: { name: 'x', deletionTimestamp: '2030-01-01T00:00:00Z', finalizers } })).toMatch(
      /^Progressing: ScmProvider is being deleted\. scmprovider\.promoter\.argoproj\.io\/finalizer: Waiting until [^:]+ Risk if removed manually: [^:]+\.$/,
    )
  })

  test.each([
    [policy({}), 'Progressing: Initializing change transfer policy'],
    [policy({ status: {} }), 'Progressing: Change transfer policy is not ready yet'],
    [policy(failed('ReconciliationError')), 'Degraded: Change transfer policy reconciliation failed: no token'],
    [policy(failed('NoAccess')), 'Degraded: Change transfer policy reconciliation failed (NoAccess): no token'],
    [provider({ status: {} }), 'Progressing: ScmProvider Ready condition is missing'],
    [provider(failed('ReconciliationError')), 'Degraded: SCM provider validation failed: no token'],
    [provider(failed('NoAccess')), 'Degraded: SCM provider not ready (NoAccess): no token'],
    [provider(unknown), 'Progressing: SCM provider readiness unknown (Unknown): asking'],
    [
      provider({ status: { conditions: [{ ...ready, observedGeneration: 1 }] } }),
      'Progressing: Waiting for ScmProvider spec update to be observed',
    ],
    [provider(readyWith({})), 'Healthy: SCM provider is ready'],
  ])('%s', (said, expected) => {
    expect(said).toBe(expected)
  })
})

test('a gate passes when every environment has, and one failure fails it', () => {
  const gate = (...phases: readonly (string | undefined)[]) =>
    told(
      'promoter.argoproj.io/TimedCommitStatus',
      readyWith({ environments: phases.map((phase, index) => ({ branch: `env/${index}`, phase })) }),
    )
  expect(gate()).toBe('Healthy: Timed commit gate reconciled')
  expect(gate('success', 'success')).toBe('Healthy: Timed commit gate satisfied for 2 environment(s)')
  expect(gate('success', undefined, 'queued')).toBe(
    'Progressing: Timed commit gate pending for branch(es): env/1, env/2',
  )
  expect(gate('pending', 'failure')).toBe('Degraded: Timed commit gate failed for branch(es): env/1')
})

describe('promotion', () => {
  const side = (sha: string, ...phases: readonly string[]) => ({
    dry: { sha },
    commitStatuses: phases.map((phase) => ({ key: `is-${phase}`, phase })),
  })

  test.each([
    [{ proposed: side('bbbbbbbbbb') }, 'Progressing: The active commit DRY SHA is missing or empty.'],
    [
      { active: side('aaaaaaaaaa'), proposed: side('bbbbbbbbbb', 'success', 'pending', 'failure') },
      "Progressing: Promotion in progress from 'aaaaaaa' to 'bbbbbbb': 1 pending, 1 successful, 1 failed. Pending commit statuses: is-pending. Failed commit statuses: is-failure. ",
    ],
    [
      { active: side('aaaaaaaaaa', 'pending'), proposed: side('aaaaaaaaaa') },
      'Healthy: Environment is up-to-date, but there are non-successful active commit statuses: 1 pending, 0 successful, 0 failed. Pending commit statuses: is-pending. ',
    ],
    [
      { active: side('aaaaaaaaaa', 'success'), proposed: side('aaaaaaaaaa') },
      'Healthy: Environment is up-to-date on commit aaaaaaa.',
    ],
  ])('of one environment: %j', (status, expected) => {
    expect(told('promoter.argoproj.io/ChangeTransferPolicy', readyWith(status))).toBe(expected)
  })

  const strategy = (...environments: readonly object[]) =>
    told('promoter.argoproj.io/PromotionStrategy', readyWith({ environments }))
  const dev = { branch: 'dev', active: side('aaaaaaaaaa'), proposed: side('aaaaaaaaaa') }

  test('of several: they must agree, then the first that moves is told', () => {
    expect(strategy()).toBe('Degraded: Promotion strategy has no environments configured')
    expect(strategy(dev, { ...dev, proposed: side('bbbbbbbbbb') })).toMatch(/^Progressing: Not all environments/)
    const moving = { ...dev, branch: 'prod', active: side('0000000000') }
    expect(strategy(dev, moving)).toBe(
      "Progressing: Promotion in progress for environment 'prod' from '0000000' to 'aaaaaaa': 0 pending, 0 successful, 0 failed. Hydrator has processed dry commit 'aaaaaaa'. ",
    )
  })

  test('of several: settled, though a check of what runs failed', () => {
    expect(strategy(dev, { ...dev, branch: 'prod' })).toMatch(
      /^Healthy: All environments are up-to-date on commit 'aaaaaaa'\./,
    )
    expect(strategy(dev, { ...dev, branch: 'prod', active: side('aaaaaaaaaa', 'failure') })).toBe(
      'Healthy: Environments are up-to-date, but some environments have non-successful commit statuses: prod (1 failed, 0 pending).',
    )
  })

  test('of several: a note of the hydrator alone moves nothing', () => {
    const noted = { ...dev, proposed: { ...side('aaaaaaaaaa'), note: { drySha: 'cccccccccc' } } }
    expect(strategy(noted)).toBe(
      "Healthy: All environments are up-to-date on commit 'aaaaaaa'. Hydrator has processed dry commit 'ccccccc'.",
    )
  })
})
