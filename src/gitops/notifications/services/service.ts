// What a notification service is: something that takes a message for a recipient to the outside. It throws ServiceFault with
// what went wrong, without secrets.

import type { z } from 'zod'
import { type WebClient, WebFault, type WebRequest, type WebResponse } from '#gitops/web'
import type { Application } from '#kinds'
import type { World } from '#world'
import type { Message } from '../message.ts'

export class ServiceFault extends Error {
  override readonly name = 'ServiceFault'
}

export interface Destination {
  /** Name of a service in the ConfigMap. */
  readonly service: string
  /** A channel, an address; empty for services that need none. */
  readonly recipient: string
}

export interface Sending {
  readonly message: Message
  readonly destination: Destination
  readonly app: Application
  readonly web: WebClient
  readonly world: World
}

export interface Service {
  /** `slack`, `email`, …: what templates see as serviceType. */
  readonly type: string
  readonly send: (sending: Sending) => Promise<void>
}

/** Asks, and takes nothing but a success for an answer. */
export async function asked(web: WebClient, request: WebRequest): Promise<WebResponse> {
  let response: WebResponse
  try {
    response = await web(request)
  } catch (error) {
    if (error instanceof WebFault) throw new ServiceFault(error.message)
    throw error
  }
  if (response.status >= 200 && response.status <= 299) return response
  throw new ServiceFault(`the server answered ${response.status}`)
}

/** A JSON answer, checked. */
export function answerIn<T>(schema: z.ZodType<T>, { text }: WebResponse): T {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    throw new ServiceFault('the answer is no JSON')
  }
  const result = schema.safeParse(value)
  if (result.success) return result.data
  throw new ServiceFault('the answer is not what was expected')
}
