// What the REST interface answers with under /homeostat: the types of whoever answers, so that a changed answer does not
// pass here unseen.

export type { DriftEntry, DriftField } from '../../src/gitops/argocd/drift/drift-log.ts'
export type { EverythingWaiting, ShownLoop } from '../../src/http/dashboard/shown.ts'
export type { Finding, LoopTrouble, Placement, WaitingObject } from '../../src/insight/index.ts'
