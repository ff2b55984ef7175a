// What all verbs of one API server share: the world, the store, what is served, admission and the reactions to writes.
// No verb stands here.

import type { AdmissionChain, Callee } from '#admission'
import type { ProfileWebhook } from '#kinds'
import { formatTime } from '#objects'
import type { Entry, Store } from '#store'
import type { Random, World } from '#world'
import type { Decision } from './auth/decision.ts'
import type { AccessJudge } from './auth/judge.ts'
import type { ServiceAccountTokens } from './auth/service-account-tokens.ts'
import type { GeneratedNames } from './generated-names.ts'
import type { ResourceHooks } from './hooks.ts'
import type { AccessQuestion, ApiServerOptions } from './options.ts'
import type { Registry, Served } from './served.ts'

export interface Core {
  readonly world: World
  readonly store: Store
  readonly registry: Registry
  readonly options: ApiServerOptions
  readonly random: Random
  readonly names: GeneratedNames
  /** What is called when the server is closed: watches and timers put in how they end. */
  readonly onClose: Set<() => void>
  readonly admission: AdmissionChain
  readonly tokens: ServiceAccountTokens
  readonly access: AccessJudge
  /** The answer of a webhook outside of admission; throws what Go's client would say. */
  callWebhook(callee: Callee, body: string, answered: (server: ProfileWebhook) => string): Promise<string>
  /** Whether something may be done, and by what. */
  decide(question: AccessQuestion): Decision
  /** World time, to the second, as metadata carries it. */
  timestamp(): string
  hooksOf(served: Served): ResourceHooks | undefined
  /** Called after every write, with what was before and what is now. */
  wrote(served: Served, current: Entry | undefined, previous: Entry | undefined): void
}

/** A clock for timestamps: formats each second once. */
export function secondStamps(world: World): () => string {
  let second = Number.NaN
  let text = ''
  return () => {
    const now = Math.floor(world.clock.now() / 1000)
    if (now !== second) {
      second = now
      text = formatTime(now * 1000)
    }
    return text
  }
}
