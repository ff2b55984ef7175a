import { describe, expect, test } from 'vitest'
import type { Application, ApplicationSet } from '#kinds'
import { planApplications } from './plan.ts'

const created = '2026-01-01T00:00:00Z'
const owner = {
  apiVersion: 'argoproj.io/v1alpha1',
  kind: 'ApplicationSet',
  name: 'set',
  uid: 'u',
  controller: true,
  blockOwnerDeletion: true,
}
const set = (spec: object = {}, annotations: Readonly<Record<string, string>> = {}): ApplicationSet =>
  ({
    apiVersion: 'argoproj.io/v1alpha1',
    kind: 'ApplicationSet',
    metadata: { name: 'set', namespace: 'argocd', uid: 'u', annotations },
    spec: { generators: [], template: {}, ...spec },
  }) as unknown as ApplicationSet
const app = (name: string, path = 'p', metadata: object = {}): Application =>
  ({
    apiVersion: 'argoproj.io/v1alpha1',
    kind: 'Application',
    metadata: { name, namespace: 'argocd', finalizers: ['f'], ...metadata },
    spec: { project: 'default', source: { repoURL: 'r', path }, destination: {} },
  }) as unknown as Application
const live = (name: string, path = 'p', metadata: object = {}): Application =>
  app(name, path, { creationTimestamp: created, ownerReferences: [owner], labels: {}, annotations: {}, ...metadata })
const plan = (
  of: ApplicationSet,
  wanted: readonly Application[],
  owned: readonly Application[],
  others: readonly Application[] = [],
) =>
  planApplications({
    set: of,
    wanted,
    owned,
    find: (name) => [...owned, ...others].find((each) => each.metadata.name === name),
  })
const counts = ({ create, update, remove }: ReturnType<typeof planApplications>) => [
  create.length,
  update.length,
  remove.length,
]

describe('a plan', () => {
  test.each([
    ['sync', [1, 1, 1]],
    ['create-only', [1, 0, 0]],
    ['create-update', [1, 1, 0]],
    ['create-delete', [1, 0, 1]],
  ])('by the policy %s', (applicationsSync, expected) => {
    const of = set({ syncPolicy: { applicationsSync } })
    const made = plan(of, [app('new'), app('changed', 'q'), app('same')], [live('changed'), live('same'), live('gone')])
    expect(counts(made)).toEqual(expected)
  })

  test('keeps what others wrote where it is told to, and what is running', () => {
    const annotations = {
      'argocd.argoproj.io/refresh': 'hard',
      'notified.notifications.argoproj.io': 'x',
      mine: 'y',
      old: 'z',
    }
    const of = set({ preservedFields: { annotations: ['mine'] } })
    const [update] = plan(of, [app('a')], [live('a', 'p', { annotations })]).update
    const { old: _old, ...kept } = annotations
    expect(update?.next.metadata.annotations).toEqual(kept)
  })

  test('leaves alone what it shall ignore', () => {
    const of = set({ ignoreApplicationDifferences: [{ jsonPointers: ['/spec/source/path'] }] })
    expect(counts(plan(of, [app('a', 'q')], [live('a')]))).toEqual([0, 0, 0])
  })

  test('a name twice, or one that is another’s, is told; then nothing is deleted', () => {
    const stranger = live('theirs', 'p', { ownerReferences: [{ ...owner, uid: 'other', name: 'other' }] })
    const made = plan(set(), [app('a'), app('a'), app('theirs')], [live('gone')], [stranger])
    expect(made.faults).toEqual([
      'ApplicationSet set contains applications with duplicate name: a',
      'theirs is already owned by ApplicationSet other',
    ])
    expect(counts(made)).toEqual([1, 0, 0])
  })

  test('that would delete most of many waits for a person', () => {
    const owned = Array.from({ length: 20 }, (_, index) => live(`a${index}`))
    const wanted = owned.slice(0, 4).map((each) => app(each.metadata.name ?? ''))
    expect(plan(set(), wanted, owned)).toMatchObject({
      remove: [],
      held: expect.stringMatching(/^16 of 20 Applications would be deleted/),
    })
    const approved = set({}, { 'argocd.argoproj.io/deletion-approved': '2026-01-02T00:00:00Z' })
    expect(plan(approved, wanted, owned)).toMatchObject({ held: undefined, remove: { length: 16 } })
    expect(plan(set(), [], owned.slice(0, 10)).remove).toHaveLength(10)
  })
})
