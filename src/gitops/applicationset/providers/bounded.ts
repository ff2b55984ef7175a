// Requests to a service outside, with limits for all that one generator may ask of it: so many, so many at a time, so long.

import { type WebClient, WebFault } from '#gitops/web'
import { Gate } from '#reconcile'
import type { GeneratorFault } from '../generators/fault.ts'

const maxRequests = 5000
const totalMs = 300_000
const maxAtOnce = 8

/** `fault` makes an error that says who was asked about what. */
export function boundedWeb(web: WebClient, fault: (what: string) => GeneratorFault): WebClient {
  const signal = AbortSignal.timeout(totalMs)
  const gate = new Gate(maxAtOnce)
  let requests = 0
  return async (request) => {
    if (++requests > maxRequests) throw fault(`more than ${maxRequests} requests would be needed`)
    try {
      return await gate.pass(() => web({ ...request, signal }))
    } catch (error) {
      if (error instanceof WebFault) throw fault(error.message)
      throw error
    }
  }
}
