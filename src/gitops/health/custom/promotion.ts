// What GitOps Promoter's policies and strategies say once they are ready: which commit an environment is on, which one is
// proposed, and which checks of it are pending or failed. Compares the unrendered ("dry") commits.

import { degraded, type HealthRule, healthy, progressing, type Verdict } from '../verdict.ts'

interface Check {
  readonly key?: string
  readonly phase?: string
}

interface Side {
  readonly dry?: { readonly sha?: string }
  readonly note?: { readonly drySha?: string }
  readonly commitStatuses?: readonly Check[]
}

interface Environment {
  readonly branch?: string
  readonly active?: Side
  readonly proposed?: Side
}

const shaOf = (side: Side | undefined): string => side?.dry?.sha ?? ''
const short = (sha: string): string => sha.slice(0, 7)

/** The hydrator's note runs ahead of the proposed branch when rendering a commit changed nothing. */
const hydratedShaOf = ({ proposed }: Environment): string => proposed?.note?.drySha || shaOf(proposed)

const keysIn = (checks: readonly Check[] = [], phase: string): readonly string[] =>
  checks.filter((check) => check.phase === phase).map((check) => check.key ?? '')

function tally(checks: readonly Check[] | undefined): string {
  const [pending, passed, failed] = ['pending', 'success', 'failure'].map((phase) => keysIn(checks, phase))
  const named = (title: string, keys: readonly string[] = []) =>
    keys.length === 0 ? '' : `${title} commit statuses: ${keys.join(', ')}. `
  const counts = `${pending?.length} pending, ${passed?.length} successful, ${failed?.length} failed. `
  return `${counts}${named('Pending', pending)}${named('Failed', failed)}`
}

const isDisturbed = (checks: readonly Check[] | undefined): boolean =>
  checks?.some(({ phase }) => phase === 'pending' || phase === 'failure') === true

const movement = ({ active, proposed }: Environment): string =>
  `from '${short(shaOf(active))}' to '${short(shaOf(proposed))}': ${tally(proposed?.commitStatuses)}`

const lacking = (field: string, side: string, where = ''): Verdict =>
  progressing([field, undefined, 'not known yet'], `The ${side} commit DRY SHA is missing or empty${where}.`)

export const changeTransferHealth: HealthRule = (object) => {
  const environment = (object['status'] ?? {}) as Environment
  const { active, proposed } = environment
  if (shaOf(active) === '') return lacking('status.active.dry.sha', 'active')
  if (shaOf(proposed) === '') return lacking('status.proposed.dry.sha', 'proposed')
  const proof = ['status.proposed.dry.sha', shaOf(proposed), `status.active.dry.sha is ${shaOf(active)}`] as const
  if (shaOf(proposed) !== shaOf(active)) return progressing(proof, `Promotion in progress ${movement(environment)}`)
  if (!isDisturbed(active?.commitStatuses))
    return healthy(proof, `Environment is up-to-date on commit ${short(shaOf(active))}.`)
  return healthy(
    proof,
    `Environment is up-to-date, but there are non-successful active commit statuses: ${tally(active?.commitStatuses)}`,
  )
}

export const promotionStrategyHealth: HealthRule = (object) => {
  const field = 'status.environments'
  const { environments = [] } = (object['status'] ?? {}) as { readonly environments?: readonly Environment[] }
  const [first] = environments
  if (first === undefined)
    return degraded([field, undefined, 'there are none'], 'Promotion strategy has no environments configured')
  for (const environment of environments) {
    const where = ` in environment '${environment.branch ?? ''}'`
    if (shaOf(environment.active) === '') return lacking(`${field}[].active.dry.sha`, 'active', where)
    if (hydratedShaOf(environment) === '') return lacking(`${field}[].proposed.dry.sha`, 'proposed', where)
  }
  const hydrated = hydratedShaOf(first)
  if (environments.some((environment) => hydratedShaOf(environment) !== hydrated))
    return progressing(
      [`${field}[].proposed.dry.sha`, hydrated, 'not the same everywhere'],
      'Not all environments have the same proposed commit SHA. This likely means the hydrator has not run for all environments yet.',
    )
  const note = `Hydrator has processed dry commit '${short(hydrated)}'.`
  const moving = environments.find(({ active, proposed }) => shaOf(proposed) !== shaOf(active))
  if (moving !== undefined)
    return progressing(
      [`${field}[].proposed.dry.sha`, shaOf(moving.proposed), `status.active.dry.sha is ${shaOf(moving.active)}`],
      `Promotion in progress for environment '${moving.branch ?? ''}' ${movement(moving)}${note} `,
    )
  return settled(environments, `on commit '${short(shaOf(first.active))}'. ${note}`)
}

function settled(environments: readonly Environment[], where: string): Verdict {
  const disturbed = environments.filter(({ active }) => isDisturbed(active?.commitStatuses))
  if (disturbed.length === 0)
    return healthy(
      ['status.environments', environments.length, 'on the proposed commit'],
      `All environments are up-to-date ${where}`,
    )
  const counts = disturbed.map(({ branch = '', active }) => {
    const count = (phase: string) => keysIn(active?.commitStatuses, phase).length
    return `${branch} (${count('failure')} failed, ${count('pending')} pending)`
  })
  return healthy(
    ['status.environments[].active.commitStatuses', disturbed.length, 'not all passed'],
    `Environments are up-to-date, but some environments have non-successful commit statuses: ${counts.join(', ')}.`,
  )
}
