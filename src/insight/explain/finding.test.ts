import { expect, it } from 'vitest'
import { causeOf, type Finding, heldUpIn } from './finding.ts'

const finding = (object: string, loop: string, depth?: number): Finding => ({
  state: 'stuck',
  loop,
  object,
  gap: '',
  evidence: [],
  ...(depth === undefined ? {} : { depth }),
})

it.each([
  ['the loop above that waits for somebody else', ['guard', 'replicaset controller', 'guard'], 'replicaset controller'],
  ['nobody, where one loop has all of it', ['kubelet', 'kubelet', 'kubelet'], undefined],
  ['nobody, where nothing is above', ['scheduler'], undefined],
])('the end of a chain holds up %s', (_what, loops, expected) => {
  const chain = loops.map((loop, i) => finding(`Thing ${i}`, loop, i))
  expect(heldUpIn(chain)?.loop).toBe(expected)
})

it('only what lies above the end that is looked at is held up by it', () => {
  const [app, set, pod] = [finding('App', 'kubelet'), finding('Set', 'kubelet', 1), finding('Pod', 'kubelet', 2)]
  const findings = [app, set, pod, finding('Other', 'other', 1), finding('Guard', 'guard', 2)]
  expect(causeOf(findings)).toBe(pod)
  expect(heldUpIn(findings)).toBeUndefined()
})

it('nothing holds up nothing', () => expect(heldUpIn([])).toBeUndefined())
