// What a sync that runs waits for: a resource, a hook, a person, a window, or its next attempt. Pure.

import type { Application, ApplicationResource } from '#kinds'
import { describeObject, type Finding, sinceTime } from './finding.ts'

/** `apps/Deployment/web`, as messages of an operation name what is waited for. */
const awaited =
  /^waiting for (?:healthy state|completion of hook|deletion|completion) ?(?:of)? ?(?:([\w.-]*)\/)?(\w+)\/(\S{1,253})/

type Named = Pick<ApplicationResource, 'group' | 'kind' | 'namespace' | 'name'>

/** The resource that a running operation waits for. */
export function awaitedResource({ status, spec }: Application): Named | undefined {
  const { operationState: operation, resources = [] } = status ?? {}
  const [, group = '', kind, name] = awaited.exec(operation?.message ?? '') ?? []
  if (kind === undefined || name === undefined) return undefined
  const isThis = (item: Named): boolean => (item.group ?? '') === group && item.kind === kind && item.name === name
  const results = operation?.syncResult?.resources ?? []
  const found = results.find(isThis) ?? resources.find(isThis)
  const namespace = found?.namespace || spec.destination?.namespace
  return { group, kind, name, ...(namespace === undefined ? {} : { namespace }) }
}

/** A running operation waits for other applications: `DependsOn=`. */
export const awaitsOthers = ({ status }: Application): boolean =>
  status?.operationState?.phase === 'Running' && /^waiting for application /.test(status.operationState.message ?? '')

/** Undefined when no operation runs. */
export function explainOperation(object: Application): Finding | undefined {
  const operation = object.status?.operationState
  if (operation?.phase !== 'Running' && operation?.phase !== 'Terminating') return undefined
  const { name = '' } = object.metadata
  const { message = '', startedAt, retryCount = 0, syncResult } = operation
  const common = {
    object: describeObject(object),
    ...sinceTime(startedAt),
    evidence: [
      `status.operationState began at ${startedAt}${retryCount > 0 ? `, retry ${retryCount}` : ''}`,
      ...(syncResult?.resources ?? [])
        .filter(({ status }) => status === 'SyncFailed')
        .map(({ kind, namespace, name, message: why }) => `${kind} ${namespace ? `${namespace}/` : ''}${name}: ${why}`),
    ],
  }
  if (/pruning confirmation|approval of deleting/.test(message))
    return {
      ...common,
      state: 'stuck',
      loop: 'you: it asks before it prunes',
      gap: `a sync is running: ${message}`,
      advice: `Confirm it on the page of the application, or end the operation: homeostat app terminate-op ${name}`,
    }
  if (/blocked by sync window/.test(message)) return { ...common, state: 'stuck', loop: 'a sync window', gap: message }
  if (/Retrying attempt #/.test(message))
    return {
      ...common,
      state: 'stuck',
      loop: 'application controller',
      gap: `a sync failed and is tried again: ${message}`,
      advice: `Correct what it names, or end the operation: homeostat app terminate-op ${name}`,
    }
  return {
    ...common,
    state: 'progressing',
    loop: 'application controller',
    gap: `a sync is running${message === '' ? '' : `: ${message}`}`,
    ...(message.startsWith('waiting for')
      ? { advice: `If this shall not go on, end the operation: homeostat app terminate-op ${name}` }
      : {}),
  }
}
