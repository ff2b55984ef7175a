// What every rule of NodeRestriction is: why a node may not do what it asks for.

import type { AdmissionRequest, AdmissionState } from '../plugin.ts'

/** Undefined when the node may. */
export type Fault = (request: AdmissionRequest, node: string, state: AdmissionState) => string | undefined

export const quoted = (text: string): string => JSON.stringify(text)
