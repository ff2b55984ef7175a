// The story of the contract with every request of the loops judged by its user, as a real API server judges it: nobody is
// refused what he does here.

import { expect, it } from 'vitest'
import type { ApiHandler } from '#api'
import { judged } from '#apiserver'
import { startMachine } from '../support/machine.ts'
import { isOver, patient, tell } from './scenario.ts'
import { beside } from './side-crowd.ts'

it('every loop may do what it does, by the roles that Kubernetes gives its user', async () => {
  const refused = new Set<string>()
  const users = new Set<string>()
  const wrap = (next: ApiHandler): ApiHandler =>
    judged((question) => {
      users.add(question.caller.user)
      const decision = test.machine.decide(question)
      if (!decision.allowed) {
        const { caller, verb, group, resource, subresource = '' } = question
        refused.add(`${caller.user} ${verb} ${resource}.${group}/${subresource}: ${decision.reason}`)
      }
      return decision
    })(next)
  const test = startMachine({ seed: 7, extraLoops: beside, wrapLoops: wrap })
  await tell(patient(test))
  await test.until(() => isOver(test), { limitMs: 1_800_000, everyMs: 1000 })
  expect([...refused].sort()).toEqual([])
  expect(users).toContain('system:node:node-1')
  expect(users).toContain('system:serviceaccount:kube-system:deployment-controller')
  await test.stop()
}, 120_000)
