// One call of one webhook: the question, the way there, and what its answer means. What keeps the call from succeeding is a
// CallFailure, which `failurePolicy: Ignore` overlooks; everything else that is thrown refuses the request.

import { ApiError, internalError } from '#api'
import type { ProfileWebhook } from '#kinds'
import type { AdmissionRequest, AdmissionState } from '../plugin.ts'
import type { Presented } from '../rules.ts'
import type { Webhook } from './match.ts'
import { denial, type Reviewed, readReview, reviewOf, reviewVersionOf, type Verdict } from './review.ts'
import { answerOf } from './simulated-server.ts'
import { type Callee, closedText, post } from './transport.ts'

class CallFailure extends Error {
  override readonly name = 'CallFailure'
}

export const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error))

/** Undefined when the webhook failed and is to be ignored then. */
export async function call(
  webhook: Webhook,
  shown: Presented,
  state: AdmissionState,
  mutating: boolean,
): Promise<Verdict | undefined> {
  const { request } = shown
  refuseSideEffects(webhook, request)
  try {
    const verdict = await ask(webhook, shown, state, mutating)
    for (const [key, value] of Object.entries(verdict.auditAnnotations))
      request.annotate(`${webhook.name}/${key}`, value)
    for (const text of verdict.warnings) request.warn(text)
    if (!verdict.allowed) throw denial(webhook.name, verdict.status)
    return verdict
  } catch (error) {
    if (!(error instanceof CallFailure)) throw error
    fail(webhook, error.message)
    const closed = closedFor(webhook, state)
    if (closed !== undefined) request.warn(`webhook ${JSON.stringify(webhook.name)}: ${closed}`)
    return undefined
  }
}

/** Nobody would hear of a call that is ignored because the operator has not allowed it. */
const closedFor = ({ clientConfig: { url } }: Webhook, state: AdmissionState): string | undefined =>
  url === undefined ? undefined : closedText(url, state)

/** Of a request that shall change nothing only those hear that change nothing else. */
function refuseSideEffects({ name, sideEffects }: Webhook, { dryRun }: AdmissionRequest): void {
  if (!dryRun || sideEffects === 'None' || sideEffects === 'NoneOnDryRun') return
  const message = `admission webhook ${JSON.stringify(name)} does not support dry run`
  throw new ApiError({ code: 400, reason: 'BadRequest', message })
}

async function ask(webhook: Webhook, shown: Presented, state: AdmissionState, mutating: boolean): Promise<Verdict> {
  const version = reviewVersionOf(webhook)
  if (version === undefined)
    throw new CallFailure(
      'could not create admission objects: webhook does not accept known AdmissionReview versions (v1, v1beta1)',
    )
  const uid = state.world.random.uuid()
  let answer: Reviewed
  try {
    const body = reviewOf(shown, uid, version)
    const answered = (server: ProfileWebhook): string => answerOf(mutating ? server : withoutPatch(server), body)
    answer = readReview(await post(calleeOf(webhook), { body, answered }, state), version)
  } catch (error) {
    throw new CallFailure(`failed to call webhook: ${messageOf(error)}`)
  }
  try {
    return answer.verify(uid, mutating)
  } catch (error) {
    throw new CallFailure(`received invalid webhook response: ${messageOf(error)}`)
  }
}

const defaultTimeoutSeconds = 10

const calleeOf = ({ name, clientConfig, timeoutSeconds = defaultTimeoutSeconds }: Webhook): Callee => ({
  name,
  clientConfig,
  timeoutSeconds,
})

function withoutPatch({ mutate: _mutate, ...rest }: ProfileWebhook): ProfileWebhook {
  return rest
}

/** Refuses the request because its webhook failed, unless that is to be ignored. */
export function fail({ name, failurePolicy }: Webhook, why: string): void {
  if (failurePolicy !== 'Ignore') throw internalError(`failed calling webhook ${JSON.stringify(name)}: ${why}`)
}
