// What a health script returned, as a verdict: Argo CD's rules for it. Pure.

import { isJsonMap, type Json } from '#objects'
import { type HealthStatus, isHealthStatus, type Verdict } from '../verdict.ts'

/** Undefined: the script says that the object has no health. */
export function verdictOfAnswer(value: Json, key: string): Verdict | undefined {
  if (value === null || (Array.isArray(value) && value.length === 0)) return undefined
  if (!isJsonMap(value)) return faulty(key, `expect table output from Lua script, not ${typeName(value)}`)
  const { status, message } = value
  if (message !== undefined && typeof message !== 'string')
    return faulty(key, `the message that the script returns must be a string, not ${typeName(message)}`)
  if (!isHealthStatus(status))
    return faulty(key, `Lua returned an invalid health status${typeof status === 'string' ? `: ${status}` : ''}`)
  return said(key, status, message)
}

/** A user's rule has decided. */
export function said(key: string, status: HealthStatus, message: string | undefined): Verdict {
  const proof = { field: key, rule: "the user's own rule in argocd-cm" }
  return message === undefined || message === '' ? { status, proof } : { status, message, proof }
}

/** A user's rule could not decide: nobody knows how the object is. */
export const faulty = (key: string, message: string): Verdict => ({
  ...said(key, 'Unknown', `argocd-cm ${key}: ${message}`),
  fault: `argocd-cm ${key}: ${message}`,
})

function typeName(value: Json): string {
  if (Array.isArray(value)) return 'a list'
  return typeof value === 'object' ? 'table' : typeof value
}
