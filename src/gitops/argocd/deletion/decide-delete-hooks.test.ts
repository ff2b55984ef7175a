import { describe, expect, it } from 'vitest'
import type { AnyObject } from '#objects'
import { decideDeleteHooks, decideTidying, type HookDecision, withDeleteHookName } from './decide-delete-hooks.ts'

const start = Date.parse('2026-01-01T00:00:00Z')
const stamp = (seconds: number): string => new Date(start + seconds * 1000).toISOString().replace('.000', '')
const hook = 'argocd.argoproj.io/hook'

const target = (name: string, annotations: Readonly<Record<string, string>> = {}): AnyObject => ({
  apiVersion: 'batch/v1',
  kind: 'Job',
  metadata: { namespace: 'shop', name, annotations: { [hook]: 'PreDelete', ...annotations } },
})

type End = 'Complete' | 'Failed' | 'running'

const live = (of: AnyObject, end: End, createdAt = 5): AnyObject => ({
  ...of,
  metadata: { ...of.metadata, creationTimestamp: stamp(createdAt) },
  status: end === 'running' ? {} : { conditions: [{ type: end, status: 'True', message: 'so it is' }] },
})

/** The application was deleted at 0. */
const decide = (
  hooks: readonly (readonly [AnyObject, AnyObject?])[],
  { failed, now = 10 }: { readonly failed?: number; readonly now?: number } = {},
): HookDecision =>
  decideDeleteHooks({
    hooks: hooks.map(([wanted, found]) => ({ target: wanted, live: found })),
    deletedAt: start,
    failedAt: failed === undefined ? undefined : start + failed * 1000,
    now: start + now * 1000,
  })

const first = target('first', { 'argocd.argoproj.io/sync-wave': '-1' })
const second = target('second')
const kept = target('kept', { 'argocd.argoproj.io/hook-delete-policy': 'HookSucceeded' })

describe('the hooks of a deletion', () => {
  it.each<[string, readonly (readonly [AnyObject, AnyObject?])[], HookDecision]>([
    ['are done when there are none', [], { type: 'done' }],
    ['are made, lowest wave first', [[second], [first]], { type: 'create', hooks: [first] }],
    ['are waited for before the next wave', [[second], [first, live(first, 'running')]], { type: 'wait' }],
    ['go on with the next wave', [[second], [first, live(first, 'Complete')]], { type: 'create', hooks: [second] }],
    ['are done when all have succeeded', [[second, live(second, 'Complete')]], { type: 'done' }],
    [
      'clear away what was there before',
      [[second, live(second, 'Complete', -60)]],
      { type: 'clear', objects: [live(second, 'Complete', -60)] },
    ],
    ['count what was there before, if it shall stay', [[kept, live(kept, 'Complete', -60)]], { type: 'done' }],
    [
      'tell of a failure once all of the wave have ended',
      [
        [second, live(second, 'Failed')],
        [kept, live(kept, 'running')],
      ],
      { type: 'wait' },
    ],
    [
      'tell of a failure, and when there is another attempt',
      [[second, live(second, 'Failed')]],
      {
        type: 'failed',
        failures: [{ object: live(second, 'Failed'), message: 'so it is' }],
        againAt: start + 35_000,
      },
    ],
  ])('%s', (_, hooks, expected) => {
    expect(decide(hooks)).toEqual(expected)
  })

  it.each<[number, number, number]>([
    [5, 10, 35],
    [40, 10, 70],
    [70, 10, 130],
    [130, 10, 250],
    [900, 10, 1200],
  ])('made at %d s while failing since %d s, are made anew at %d s', (created, failed, again) => {
    const failing = live(second, 'Failed', created)
    expect(decide([[second, failing]], { failed, now: again - 1 })).toMatchObject({ againAt: start + again * 1000 })
    expect(decide([[second, failing]], { failed, now: again })).toEqual({ type: 'clear', objects: [failing] })
  })

  it('are tidied up by their policies, once it is known how all ended', () => {
    const policy = (name: string, text: string) => target(name, { 'argocd.argoproj.io/hook-delete-policy': text })
    const names = (...ends: readonly [End, End]): readonly (string | undefined)[] =>
      decideTidying([
        live(policy('a', 'HookSucceeded'), ends[0]),
        live(policy('b', 'HookFailed'), ends[1]),
        live(second, 'Complete'),
      ]).map(({ metadata }) => metadata.name)
    expect(names('Complete', 'Complete')).toEqual(['a'])
    expect(names('Complete', 'Failed')).toEqual(['b'])
  })

  it('with only a generateName have one name in each deletion', () => {
    const { name: _name, ...metadata } = second.metadata
    const nameless = { ...second, metadata: { ...metadata, generateName: 'task-' } }
    expect(withDeleteHookName(nameless, 'PostDelete', start).metadata).toMatchObject({
      name: `task-postdelete-${start / 1000}`,
    })
  })
})
